#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# dls-bench quality: a table of orders, one order alone, JSON, misuse, no dataset.
set -u
bench=$1 json_get=$2 make_dataset=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }

mkdir "$work/photos"
"$make_dataset" "$work" 200 || fail "no dataset"
text=$("$bench" quality "$work/set.dls" --batch 16) || fail "it failed"
for word in window none full 'what the loader takes' 'a true permutation gives'; do
    grep -qF -- "$word" <<< "$text" || fail "no '$word' in: $text"
done
"$bench" quality "$work/set.dls" --batch 16 --order full --json > "$work/one.json" || fail "it failed with --json"
grep -o '"order": "[a-z]*"' "$work/one.json" > "$work/orders"
[ "$(cat "$work/orders")" = '"order": "full"' ] || fail "$(cat "$work/one.json")"
[ "$("$json_get" "$work/one.json" batch)" = 16 ] || fail "$(cat "$work/one.json")"
"$bench" quality "$work/set.dls" --memory 1000 2> "$work/err" && fail "a window in 1000 bytes"
grep -q 'at least' "$work/err" || fail "$(cat "$work/err")"
"$bench" quality "$work/none" 2> "$work/err" && fail "no dataset, no error"
"$bench" quality --order diagonal "$work/set.dls" 2> /dev/null
[ $? = 2 ] || fail "an order that there is not"
exit 0
