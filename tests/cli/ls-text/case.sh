# SPDX-License-Identifier: Apache-2.0
# Keys in stored order; with --long what the records are; filters by class and by pattern.
. "$LIB"
photos
dlpack pack -q --no-shuffle src out
dlpack ls out
dlpack ls --long out
echo "class:"
dlpack ls --class dog out
echo "match:"
dlpack ls --match '*/1.*' out
echo "limit:"
dlpack ls -n 2 out
echo "neither:"
dlpack ls --class dog --match 'cat/*' out
fails dlpack ls --class cow out
fails dlpack ls src
