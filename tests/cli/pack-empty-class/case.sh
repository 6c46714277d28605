# SPDX-License-Identifier: Apache-2.0
# An empty class directory is an error, as in ImageFolder; --allow-empty keeps its label.
. "$LIB"
photos
mkdir src/cow
fails dlpack pack src out
nothing_left out
dlpack pack --allow-empty src out > /dev/null
dlpack info out | grep -A 5 '^classes'
