#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# dls-bench run and decode: JSON that a parser takes and whose figures fit the dataset, text, the exit codes, and a
# run that is interrupted still prints what it has.
set -u
bench=$1
json_get=$2
make_dataset=$3
. "$(dirname "$0")/lib.sh"

mkdir "$dir/photos"
"$make_dataset" "$dir" 100 || fail "no dataset"
set=$dir/set.dls
small="--batch=8 --size=32 --memory=64M"

expect 0 run "$set" $small --epochs=4 --threads=2 --json --crop=random --flip --seed=7
[ ! -s "$dir/err" ] || fail "it wrote to stderr"
member schema dls-bench-run-1
member dataset.records 100
member settings.batch 8
member settings.width 32
member settings.height 32
member settings.crop random
member settings.flip true
member settings.seed 7
member settings.threads 2
member run.ended_by epochs
member run.batches 48
member run.images 384
member run.epoch_images_per_second.epochs 3
member stages.consume.items 48
member stages.decode.threads 2

expect 0 run "$set" $small --epochs=1 --tail=exact --output-format=json --order=none --engine=pread --size=40x20
member run.images 100
member run.batches 13
member settings.width 40
member settings.height 20
member settings.order none
member engine.name pread

expect 0 run "$set" $small --epochs=1 --json --dtype=float16 --layout=nchw --mean=0.485,0.456,0.406 \
    --std=0.25,0.5,0.125 --jitter=0.4,0.4,0.2,0.1 --grayscale=0.5 --flip-vertical
member settings.dtype float16
member settings.layout nchw
member settings.grayscale 0.5
member settings.flip_vertical true
member stages.decode.bytes $((96 * 32 * 32 * 3 * 2))
for wrong in --mean=1,2 --std=1,2,3,4 --jitter=1,2,x,4 --mean=,,; do
    expect 2 run "$set" $small --dtype=float32 "$wrong"
    grep -q -- "${wrong%%=*}: " "$dir/err" || fail "$wrong is not named"
done
expect 1 run "$set" $small --mean=0.5,0.5,0.5
grep -q 'float dtype' "$dir/err" || fail "a mean without a float dtype"

expect 0 run "$set" $small --epochs=2 --read-only --no-verify --json --cold
member settings.read_only true
member settings.verify false
member cache.emptied true
member stages.decode.bytes 0
member run.images 192

# Fewer pictures than the default batch holds: one batch is all of them.
expect 0 run "$set" --epochs=1 --json
member settings.batch 100
member settings.width 224
member run.images 100

expect 0 run "$set" $small --seconds=300ms --consume-ms=5 --json
member run.ended_by time
member settings.epochs 0
member settings.consume_ms 5.0

expect 0 run "$set" $small
for word in "machine" "libraries" "100 records" "engine" "images" "disk" "read" "decode" "consume" "cpu" "verdict" "3 epochs"; do
    grep -q "$word" "$dir/out" || fail "the text lacks '$word'"
done
# Comma-separated: as many values as names, and the same figures.
expect 0 run "$set" $small --epochs=2 --output-format=csv
[ "$(wc -l < "$dir/out")" = 2 ] || fail "CSV is not two lines"
python3 - "$dir/out" << 'END' || fail "the CSV does not hold what it should"
import csv, sys
(row,) = csv.DictReader(open(sys.argv[1], newline=""))
assert None not in row and None not in row.values(), row
assert row["run.images"] == "192" and row["run.batches"] == "24" and row["run.ended_by"] == "epochs", row
assert float(row["run.images_per_second"]) > 0 and row["settings.disk"] == "" and row["settings.threads"], row
END
# Every read is in one of the buckets of depths.
expect 0 run "$set" $small --epochs=1 --depth=4 --io-size=4k --json
python3 - "$dir/out" << 'END' || fail "the depths do not add up"
import json, sys
read = json.load(open(sys.argv[1]))["stages"]["read"]
assert sum(read["depths"].values()) == read["items"] > 0, read
assert read["depths"]["1"] >= 1 and read["depths"]["8"] == 0 and read["depths"]["4"] > 0, read
END
expect 0 run "$set" $small --epochs=2 --progress=json
grep -q '"event":"progress"' "$dir/err" || fail "no progress"

for signal in INT TERM; do
    : > "$dir/err"
    # The shell starts what is in the background with SIGINT ignored, and programs leave it so.
    env --default-signal=INT "$bench" run "$set" $small --seconds=200 --consume-ms=10 --json --progress=json > "$dir/out" 2> "$dir/err" &
    pid=$!
    # It is under way when it says so, however long that takes here.
    for ((i = 0; i < 1200; i++)); do
        [ "$(grep -c '"event":"progress"' "$dir/err")" -ge 2 ] && break
        sleep 0.1
    done
    kill -$signal "$pid"
    wait "$pid"
    code=$?
    [ "$code" = 130 ] || fail "interrupted by $signal: exit code $code, not 130"
    member run.ended_by signal
    [ "$("$json_get" "$dir/out" run.batches)" -ge 1 ] || fail "nothing was measured before SIG$signal"
done

expect 0 decode "$dir/photos" --threads=1 --seconds=200ms --json
member files 100
member threads 1
member refused 0
[ "$("$json_get" "$dir/out" images)" -ge 1 ] || fail "nothing decoded"
expect 0 decode "$dir/photos" --seconds=100ms
grep -q "images  *: [0-9.]*/s" "$dir/out" || fail "decode's text lacks its rate"
expect 1 decode "$dir/absent" --seconds=100ms
grep -q absent "$dir/err" || fail "the absent folder is not named"
mkdir "$dir/other"
echo text > "$dir/other/a.txt"
expect 1 decode "$dir/other" --seconds=100ms
grep -q "JPEG" "$dir/err" || fail "it is not said that there are no pictures"

expect 1 run "$dir/absent" --json
grep -q absent "$dir/err" || fail "the absent dataset is not named"
[ ! -s "$dir/out" ] || fail "a run that never began has a result"
expect 1 run "$set" --batch=65536 --memory=64k
[ -s "$dir/err" ] || fail "nothing is said of too little memory"
expect 1 run "$set" --batch=1000 --size=8
grep -q "batch_size 1000 is more than" "$dir/err" || fail "a batch that cannot be filled is not explained"
for bad in --size=0 --size=12x --size=axb --size=99999 --consume-ms=-1 --depth=0 --io-size=5000 --epochs=x --nonsense; do
    expect 2 run "$set" $bad
    grep -q -- "${bad%%=*}" "$dir/err" || fail "$bad is not named"
    [ ! -s "$dir/out" ] || fail "$bad: output on stdout"
done
expect 2 run
expect 2 run "$set" "$set"
exit 0
