# SPDX-License-Identifier: Apache-2.0
# kill -9 in the middle: nothing under the final name, and the next run mentions what is left.
. "$LIB"
mkdir -p src/a
"$PICTURE" src/a/0.jpg width=1500 height=1500
i=1
while [ $i -le 400 ]; do
    ln src/a/0.jpg src/a/$i.jpg
    i=$((i + 1))
done
mkfifo progress
"$DLPACK" pack -j 1 --progress=json src out 2> progress > /dev/null &
pid=$!
exec 3< progress
read -r line <&3
read -r line <&3
kill -9 $pid
{ wait $pid; } 2> /dev/null || echo "exit code $?"
test ! -e out
ls -d .out.tmp-* > /dev/null
rm src/a/??*.jpg
dlpack pack src out > /dev/null
