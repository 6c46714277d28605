#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# dls-bench job: the jobs of a file with what [global] says, as text and as JSON; --showcmd prints commands that do the
# same; a job that fails does not keep the next from running; every committed job file is understood.
set -u
bench=$1
json_get=$2
make_dataset=$3
jobs=$4
. "$(dirname "$0")/lib.sh"

mkdir "$dir/photos"
"$make_dataset" "$dir" 40 || fail "no dataset"
cat > "$dir/two.job" <<'END'
[global]
batch=8
size=32
memory=64M
loops=2
flip
[none]
order=none
read-only
[shuffled]
seed=9
ramp=1ms
flip=0
END
expect 0 job "$dir/two.job" "$dir/set.dls" --json
member schema dls-bench-jobs-1
member jobs.0.job none
member jobs.0.result.settings.order none
member jobs.0.result.settings.read_only true
member jobs.0.result.settings.flip true
member jobs.0.result.run.images 80
member jobs.1.job shuffled
member jobs.1.result.settings.seed 9
member jobs.1.result.settings.flip false
member jobs.1.result.emulated_disk null
expect 0 job "$dir/two.job" "$dir/set.dls"
[ "$(grep -c 'dls-bench .* run: ' "$dir/out")" = 2 ] || fail "not two results"
grep -q "^shuffled: " "$dir/out" || fail "the job is not named"

# What is shown does the same.
expect 0 job "$dir/two.job" "$dir/set.dls" --section=none --showcmd
[ "$(cat "$dir/out")" = "dls-bench run --batch=8 --size=32 --memory=64M --epochs=2 --flip --order=none --read-only -- $dir/set.dls" ] ||
    fail "the command is another"

expect 1 job "$dir/two.job" "$dir/set.dls" --section=three
grep -q "no job 'three'" "$dir/err" || fail "the absent job is not named"
expect 1 job "$dir/absent.job" "$dir/set.dls"
grep -q "absent.job" "$dir/err" || fail "the absent file is not named"
printf '[a]\ndataset=%s\n[b]\ndataset=%s\nepochs=1\nbatch=8\nsize=16\n' "$dir/absent.dls" "$dir/set.dls" > "$dir/first-fails.job"
expect 1 job "$dir/first-fails.job" --json
grep -q "job 'a': .*absent.dls" "$dir/err" || fail "the job that failed is not named"
member jobs.0.job b
printf '[a]\nbatch=8\nnonsense=1\n' > "$dir/wrong.job"
expect 1 job "$dir/wrong.job" "$dir/set.dls"
grep -q "wrong.job', line 3, job 'a': .*nonsense" "$dir/err" || fail "the wrong setting is not named"
expect 2 job
for file in "$jobs"/*.job; do
    expect 0 job "$file" "$dir/set.dls" --parse-only
    [ ! -s "$dir/out" ] || fail "$file: --parse-only prints"
done

# A folder file by file, and ranks that share an epoch.
expect 0 run "$dir/photos" --engine=files --batch=8 --size=16 --epochs=2 --threads=2 --json
member settings.engine files
member engine.name files
member run.images 80
member dataset.records 40
expect 0 run "$dir/set.dls" --engine=mmap --batch=8 --size=16 --memory=64M --epochs=2 --json
member settings.engine mmap
member engine.name mmap
member run.images 80
expect 1 run "$dir/photos" --engine=files --batch=8 --dtype=float32
grep -q "files are made into" "$dir/err" || fail "what files cannot be made into is not explained"
expect 0 run "$dir/set.dls" --ranks=3 --batch=4 --size=16 --memory=64M --epochs=2 --tail=exact --json
member run.images 80
member settings.ranks 3
[ "$("$json_get" "$dir/out" run.ranks | grep -o images_per_second | wc -l)" = 3 ] || fail "not three ranks"
expect 2 run "$dir/set.dls" --ranks=2 --world=2
expect 2 run "$dir/photos" --ranks=2 --engine=files

# The times of a trace, and a rate.
printf '1\n2\n' > "$dir/trace"
expect 0 run "$dir/set.dls" --batch=8 --size=16 --epochs=1 --consume-trace="$dir/trace" --rate=10000 --json
member settings.consume_trace "$dir/trace"
member settings.rate 10000.0
printf '1\nx\n' > "$dir/trace"
expect 1 run "$dir/set.dls" --batch=8 --size=16 --consume-trace="$dir/trace"
grep -q "trace', line 2: 'x'" "$dir/err" || fail "the wrong line of the trace is not named"
expect 2 run "$dir/set.dls" --consume-trace="$dir/trace" --consume-ms=1
expect 2 run "$dir/set.dls" --disk-options=span=1G
exit 0
