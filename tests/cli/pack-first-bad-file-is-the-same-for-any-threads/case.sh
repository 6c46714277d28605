# SPDX-License-Identifier: Apache-2.0
# "First" is by the order of the list, not by which thread comes first.
. "$LIB"
mkdir -p src/a
for i in 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do
    "$PICTURE" src/a/$i.jpg seed=$i width=300 height=300
done
for i in 13 17 19 24; do
    echo no > src/a/$i.jpg
done
for j in 1 2 8; do
    fails dlpack pack -j $j --no-shuffle src out
done
nothing_left out
