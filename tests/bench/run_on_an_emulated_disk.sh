#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# dls-bench run --disk: the dataset is read from an emulated disk, which is gone again afterwards, also after a signal
# and after an error. Skipped (77) where FUSE is missing or may not be used.
set -u
bench=$1
json_get=$2
make_dataset=$3
[ -w /dev/fuse ] && command -v fusermount3 > /dev/null || { echo "no FUSE here"; exit 77; }
dir=$(mktemp -d) || exit 1
export TMPDIR=$dir/tmp
cleanup() {
    for mount in "$dir"/tmp/*; do
        fusermount3 -uzq "$mount"
    done
    rm -rf "$dir"
}
trap cleanup EXIT
fail() { echo "FAILED: $*"; head -c 3000 "$dir/out" "$dir/err"; exit 1; }
gone() { rmdir "$TMPDIR" || fail "$1: the emulated disk is still there"; mkdir "$TMPDIR"; }

mkdir "$dir/photos" "$TMPDIR"
[ ${#TMPDIR} -le 40 ] || { echo "the directory's name is too long for this test"; exit 77; }
"$make_dataset" "$dir" 40 || fail "no dataset"
: > "$dir/out"
run() { "$bench" run "$dir/set.dls" --batch=8 --size=16 --memory=64M "$@" > "$dir/out" 2> "$dir/err"; }

run --disk=sata-ssd --disk-options=span=10G --epochs=2 --json
code=$?
grep -q "cannot be mounted\|without libfuse3" "$dir/err" && { cat "$dir/err"; exit 77; }
# A busy machine makes the disk late: then the result is void, and says so.
if [ "$code" = 0 ]; then
    [ "$("$json_get" "$dir/out" emulated_disk.in_time)" = true ] || fail "not in time and not void"
else
    grep -q "could not keep up" "$dir/err" || fail "exit code $code"
fi
[ "$("$json_get" "$dir/out" emulated_disk.profile)" = sata-ssd ] || fail "no report"
[ "$("$json_get" "$dir/out" emulated_disk.options)" = span=10G ] || fail "not the options"
[ "$("$json_get" "$dir/out" run.images)" = 80 ] || fail "not all images"
[ "$("$json_get" "$dir/out" emulated_disk.bytes)" -ge "$("$json_get" "$dir/out" run.read_bytes)" ] || fail "it was not read from the disk"
gone "a run"

run --disk=no-such-disk && fail "an unknown disk is taken"
grep -q "no profile 'no-such-disk'" "$dir/err" || fail "the unknown disk is not named"
gone "an unknown disk"
"$bench" run "$dir/absent" --disk=sata-ssd > "$dir/out" 2> "$dir/err" && fail "an absent dataset is taken"
grep -q "absent" "$dir/err" || fail "the absent dataset is not named"
gone "an absent dataset"

env --default-signal=INT "$bench" run "$dir/set.dls" --batch=8 --size=16 --disk=sata-ssd --seconds=200 --progress=json \
    --json > "$dir/out" 2> "$dir/err.2" &
pid=$!
for ((i = 0; i < 1200; i++)); do
    [ "$(grep -c '"event":"progress"' "$dir/err.2")" -ge 2 ] && break
    kill -0 "$pid" 2> /dev/null || break
    sleep 0.1
done
kill -INT "$pid"
wait "$pid"
code=$?
[ "$code" = 130 ] || grep -q "could not keep up" "$dir/err.2" || fail "interrupted: exit code $code"
[ "$("$json_get" "$dir/out" run.ended_by)" = signal ] || [ "$code" != 130 ] || fail "not ended by the signal"
gone "a signal"
exit 0
