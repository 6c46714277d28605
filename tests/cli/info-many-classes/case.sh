# SPDX-License-Identifier: Apache-2.0
# Ten classes are listed, all with --classes.
. "$LIB"
mkdir src
for i in 01 02 03 04 05 06 07 08 09 10 11 12; do
    mkdir src/c$i
    "$PICTURE" src/c$i/1.jpg seed=1$i
done
dlpack pack -q src out
dlpack info out | grep -A 12 '^classes'
dlpack info --classes out | grep -c '  c[01]'
