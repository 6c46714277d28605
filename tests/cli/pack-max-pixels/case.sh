# SPDX-License-Identifier: Apache-2.0
# Pictures beyond the limit are refused by their header.
. "$LIB"
photos
fails dlpack pack --max-pixels=3000 --no-shuffle src out
dlpack pack -q --max-pixels=3072 src out
