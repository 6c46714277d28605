# SPDX-License-Identifier: Apache-2.0
# timeout(1) sends a signal to the process and again to its group: it is still one, and nothing is left.
. "$LIB"
mkdir -p src/a
"$PICTURE" src/a/0.jpg width=1500 height=1500
i=1
while [ $i -le 400 ]; do
    ln src/a/0.jpg src/a/$i.jpg
    i=$((i + 1))
done
mkfifo progress
# A shell starts jobs in the background with SIGINT ignored; python undoes that.
python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$DLPACK" pack -j 1 --progress=json src out 2> progress > /dev/null &
pid=$!
exec 3< progress
read -r line <&3
kill -INT $pid; kill -INT $pid; kill -INT $pid
while read -r line <&3; do
    case $line in
    "{"*) ;;
    *) echo "$line" ;;
    esac
done
wait $pid || echo "exit code $?"
nothing_left out
