# SPDX-License-Identifier: Apache-2.0
# The dataset is a function of its input and the seed: any number of threads, any memory, --no-check aside.
. "$LIB"
mkdir -p src/a src/b src/c
for i in 0 1 2 3 4 5 6 7 8 9; do
    "$PICTURE" src/a/$i.jpg seed=$i width=$((40 + i * 30)) height=$((200 - i * 15))
    "$PICTURE" src/b/$i.jpg seed=1$i width=$((400 - i * 30)) height=$((20 + i * 15)) progressive=1
    "$PICTURE" src/c/$i.jpg seed=2$i width=50 height=$((20 + i * 50)) gray=1
done
echo no > src/b/bad.jpg
for j in 1 2 8; do
    dlpack pack -q --on-error=skip -j $j -b 64k src out$j 2> /dev/null
done
dlpack pack -q --on-error=skip -j 3 -m 16M -b 64k src out16 2> /dev/null
diff -r out1 out2
diff -r out1 out8
diff -r out1 out16
dlpack pack -q --on-error=skip --seed 1 -b 64k src other 2> /dev/null
if cmp -s out1/shard-00000.dls other/shard-00000.dls; then
    echo "another seed gave the same order"
fi
