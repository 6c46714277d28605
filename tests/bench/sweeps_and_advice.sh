#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# dls-bench sweep measures every point and names one that is enough; advise measures disk, decoder and files, and knows a
# trainer that is the slowest of all. report takes a sweep.
set -u
bench=$1
json_get=$2
make_dataset=$3
. "$(dirname "$0")/lib.sh"

mkdir "$dir/photos"
"$make_dataset" "$dir" 40 || fail "no dataset"
run="-- --batch=8 --size=16 --memory=64M"
expect 0 sweep "$dir/set.dls" --depth=1,2 --io-size=4k,64k --threads=1 --rounds=2 --seconds=50ms --json $run --read-only
cp "$dir/out" "$dir/sweep.json"
member schema dls-bench-sweep-1
member unit MB/s
member points.0.depth 1
member points.0.io_size 4096
member points.0.threads 1
member points.3.depth 2
member points.3.io_size 65536
"$json_get" "$dir/out" points.4 2> /dev/null && fail "more points than asked for"
"$json_get" "$dir/out" knee.depth > /dev/null || fail "no knee"
grep -q "round 2 of 2" "$dir/err" || fail "rounds are not shown"
expect 0 sweep "$dir/set.dls" --depth=1,2 --rounds=1 --seconds=50ms -q $run
[ ! -s "$dir/err" ] || fail "it is not quiet"
[ "$(grep -c ' <$' "$dir/out")" = 1 ] || fail "not one knee"
grep -q "is enough: .* images/s, .* % of the best" "$dir/out" || fail "no verdict"
expect 0 report "$dir/sweep.json" -o "$dir/page.html"
grep -q "<svg" "$dir/page.html" || fail "the sweep has no plot"
expect 2 sweep "$dir/set.dls" --depth=1,x
grep -q -- "--depth: 'x'" "$dir/err" || fail "the wrong depth is not named"
expect 2 sweep "$dir/set.dls" --depth=1,2,
expect 2 sweep "$dir/set.dls" --depth=1 -- --nonsense
expect 1 sweep "$dir/absent.dls" --depth=1
grep -q absent.dls "$dir/err" || fail "the absent dataset is not named"

expect 0 advise "$dir/set.dls" --seconds=100ms --trainer-rate=1 --folder="$dir/photos" --json $run --ramp=10ms
member schema dls-bench-advise-1
member trainer_images_per_second 1.0
member folder.0.workers 1
member folder.4.workers 16
"$json_get" "$dir/out" advice.0 | grep -q "bound by the trainer" || fail "a trainer of one image a second is not the bottleneck"
expect 0 advise "$dir/set.dls" --seconds=100ms $run --ramp=10ms
grep -q "^- bound by the \(disk\|decoder\)" "$dir/out" || fail "no advice"
expect 2 advise "$dir/set.dls" --trainer-rate=1 --trainer-ms=1
expect 1 advise "$dir/absent.dls"
exit 0
