# SPDX-License-Identifier: Apache-2.0
# OUT below SRC would change the source and be packed with it: refused, also through a link.
. "$LIB"
photos
fails dlpack pack src src/out
fails dlpack pack src src/cat/out
ln -s src/cat way
fails dlpack pack src way/out
fails dlpack pack . out
find src -name '*out*'
