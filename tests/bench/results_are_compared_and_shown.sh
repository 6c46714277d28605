#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# dls-bench compare and report on results that run and job have just made, and on files that are none. The page is whole
# HTML without scripts; where there is a browser (DLS_BROWSER, or chromium), it opens it without an error.
set -u
bench=$1
json_get=$2
make_dataset=$3
. "$(dirname "$0")/lib.sh"

mkdir "$dir/photos"
"$make_dataset" "$dir" 40 || fail "no dataset"
small="--batch=8 --size=16 --memory=64M --json --quiet"
for i in 1 2 3; do
    expect 0 run "$dir/set.dls" $small --epochs=2 --status-interval=1ms
    cat "$dir/out" >> "$dir/base.json"
    # A consumer that takes 20 ms a batch is slower whatever the machine does.
    expect 0 run "$dir/set.dls" $small --epochs=2 --consume-ms=20
    cat "$dir/out" >> "$dir/slow.json"
done
"$json_get" "$dir/out" run.samples > "$dir/samples" || fail "no samples"

expect 0 compare "$dir/base.json" "$dir/slow.json" --json
member schema dls-bench-compare-1
member measures.0.measure run.images_per_second
member measures.0.values_of runs
member measures.0.base.values 3
member measures.0.verdict worse
grep -q '"settings.consume_ms"' "$dir/out" || fail "the setting that differs is not named"
expect 0 compare "$dir/slow.json" "$dir/base.json"
grep -q "^images .* better; 3 and 3 runs" "$dir/out" || fail "not better the other way round"
expect 0 compare "$dir/base.json" "$dir/base.json"
grep -q "better\|worse\|differs" "$dir/out" && fail "a file differs from itself"
expect 1 compare "$dir/base.json" "$dir/absent.json"
grep -q "absent.json" "$dir/err" || fail "the absent file is not named"
echo '{"schema": "x"}' > "$dir/other.json"
expect 1 compare "$dir/other.json" "$dir/base.json"
grep -q "other.json" "$dir/err" || fail "the file that is no result is not named"

printf '[<b>&]\ndataset=%s\nepochs=1\nbatch=8\nsize=16\n[two]\ndataset=%s\nbatch=8\nsize=16\nseconds=300ms\nstatus-interval=20ms\n' \
    "$dir/set.dls" "$dir/set.dls" > "$dir/two.job"
expect 0 job "$dir/two.job" --json
cp "$dir/out" "$dir/jobs.json"
expect 0 report "$dir/jobs.json" "$dir/base.json" -o "$dir/page.html"
[ ! -s "$dir/out" ] || fail "-o prints the page"
[ "$(ls "$dir" | grep -c '^page')" = 1 ] || fail "something is left beside the page"
grep -q "&lt;b&gt;&amp;" "$dir/page.html" || fail "a name is not escaped"
grep -q "<b>\|<script\|nan\|http" "$dir/page.html" && fail "the page holds what it should not"
[ "$(grep -c '<h2>' "$dir/page.html")" = 5 ] || fail "not five results"
[ "$(grep -o '<svg' "$dir/page.html" | wc -l)" = "$(grep -o '</svg>' "$dir/page.html" | wc -l)" ] || fail "a plot is not closed"
tail -n 1 "$dir/page.html" | grep -q "</html>" || fail "the page is cut off"
expect 0 report "$dir/base.json"
cmp -s <(head -c 15 "$dir/out") <(printf '<!DOCTYPE html>') || fail "no page on stdout"
expect 1 report "$dir/other.json" -o "$dir/none.html"
[ ! -e "$dir/none.html" ] || fail "a page without a result"
expect 1 report "$dir/base.json" -o "$dir/absent/page.html"

browser=${DLS_BROWSER:-$(command -v chromium || true)}
if [ -n "$browser" ]; then
    timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$dir/profile" --enable-logging=stderr \
        --dump-dom "file://$dir/page.html" > "$dir/dom" 2> "$dir/browser" || fail "the browser fails"
    [ "$(grep -o '<svg' "$dir/dom" | wc -l)" = "$(grep -o '<svg' "$dir/page.html" | wc -l)" ] || fail "the browser sees other plots"
    grep -q "CONSOLE" "$dir/browser" && fail "the browser complains"
fi
exit 0
