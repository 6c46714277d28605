# SPDX-License-Identifier: Apache-2.0
# A limit on file sizes ends in an error of write(), not in a signal.
. "$LIB"
photos
"$PICTURE" src/cat/big.jpg width=2000 height=2000 quality=100
(ulimit -f 64 && fails dlpack pack src out)
nothing_left out
