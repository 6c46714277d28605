#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# dls-bench dataset: the number of pictures asked for, in that many classes, the same for any number of threads; nothing
# under the final name unless it is whole.
set -u
bench=$1
photos=$2
. "$(dirname "$0")/lib.sh"

expect 0 dataset "$photos" "$dir/one" -n 25 --classes=4 --side=64 --seed=3 --threads=1
grep -q "^25 pictures .* in 4 classes" "$dir/out" || fail "no summary"
[ "$(find "$dir/one" -type f -name '*.jpg' | wc -l)" = 25 ] || fail "not 25 files"
[ "$(ls "$dir/one" | wc -l)" = 4 ] || fail "not 4 classes"
expect 0 dataset "$photos" "$dir/two" -n 25 --classes=4 --side=64 --seed=3 --threads=3 -q
[ ! -s "$dir/out" ] || fail "it is not quiet"
diff -r "$dir/one" "$dir/two" || fail "the threads make a difference"
expect 0 dataset "$photos" "$dir/three" -n 25 --classes=4 --side=64 --seed=4
diff -rq "$dir/one" "$dir/three" > /dev/null && fail "the seed makes no difference"
[ ! -e "$dir/one.part" ] || fail "something is left"

expect 1 dataset "$photos" "$dir/one"
grep -q "exists" "$dir/err" || fail "an existing folder is not named"
expect 1 dataset "$dir/absent" "$dir/four"
grep -q "absent" "$dir/err" || fail "the absent folder is not named"
mkdir "$dir/texts"
echo text > "$dir/texts/a.txt"
expect 1 dataset "$dir/texts" "$dir/four"
[ ! -e "$dir/four" ] || fail "a folder without pictures"
expect 1 dataset "$photos" "$dir/absent/five"
expect 2 dataset "$photos" "$dir/six" -n 0

"$bench" dataset "$photos" "$dir/seven" -n 100000000 --classes=1 --side=32 --progress=json > "$dir/out" 2> "$dir/err" &
pid=$!
for ((i = 0; i < 600; i++)); do
    grep -q '"event":"progress"' "$dir/err" && break
    sleep 0.1
done
kill -TERM "$pid"
wait "$pid"
[ $? = 130 ] || fail "interrupted: not 130"
[ ! -e "$dir/seven" ] || fail "a part under the final name"
[ -d "$dir/seven.part" ] || fail "the part is gone"
grep -q "seven.part" "$dir/err" || fail "the part is not named"
exit 0
