# SPDX-License-Identifier: Apache-2.0
# What exists is never overwritten: a directory, a file, a dangling link.
. "$LIB"
photos
mkdir out
fails dlpack pack src out
fails dlpack pack src out/
echo keep > file
fails dlpack pack src file
cat file
ln -s nowhere link
fails dlpack pack src link
