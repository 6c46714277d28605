#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An emulated disk shows the same files, to the byte, read-only, and says at its end what was read. Skipped (77) where
# FUSE is missing or may not be used.
set -u
bench=$1
json_get=$2
[ -w /dev/fuse ] && command -v fusermount3 > /dev/null || { echo "no FUSE here"; exit 77; }
dir=$(mktemp -d) || exit 1
pid=
cleanup() {
    [ -z "$pid" ] || { fusermount3 -uq "$dir/mnt"; kill "$pid" 2> /dev/null; wait "$pid"; }
    rm -rf "$dir"
}
trap cleanup EXIT
fail() { echo "FAILED: $*"; cat "$dir/err"; exit 1; }

mkdir -p "$dir/src/class/empty" "$dir/mnt"
head -c 300000 /dev/urandom > "$dir/src/class/large"
head -c 5 /dev/urandom > "$dir/src/small"
: > "$dir/src/nothing"
ln -s class/large "$dir/src/link"
: > "$dir/err"

for profile in hdd-7200 sata-ssd; do
    "$bench" sim "$profile" "$dir/src" "$dir/mnt" --json --options=span=100G > "$dir/out" 2> "$dir/err" &
    pid=$!
    for _ in $(seq 100); do
        grep -q "is ready" "$dir/err" && break
        kill -0 "$pid" 2> /dev/null || break
        sleep 0.1
    done
    if ! grep -q "is ready" "$dir/err"; then
        grep -q "cannot be mounted\|without libfuse3" "$dir/err" && { cat "$dir/err"; exit 77; }
        fail "it did not start"
    fi
    timeout 60 diff -r --no-dereference "$dir/src" "$dir/mnt" || fail "$profile: the contents differ"
    timeout 60 dd if="$dir/mnt/class/large" of="$dir/direct" bs=64k iflag=direct 2> /dev/null &&
        { cmp "$dir/direct" "$dir/src/class/large" || fail "$profile: direct reads differ"; }
    [ "$(stat -c %s "$dir/mnt/nothing")" = 0 ] || fail "$profile: an empty file has a size"
    touch "$dir/mnt/new" 2> /dev/null && fail "$profile: it can be written to"
    # Busy machines make replies late, which is an exit code of 1 and no failure of this test.
    fusermount3 -u "$dir/mnt" || fail "$profile: it cannot be unmounted"
    wait "$pid"
    code=$?
    pid=
    [ "$code" -le 1 ] || fail "$profile: exit code $code"
    [ "$("$json_get" "$dir/out" profile)" = "$profile" ] || fail "$profile: no report"
    [ "$("$json_get" "$dir/out" bytes)" -ge 300005 ] || fail "$profile: the report lacks bytes"
    [ "$("$json_get" "$dir/out" metadata_reads)" -ge 1 ] || fail "$profile: metadata cost nothing"
done

"$bench" sim no-such-disk "$dir/src" "$dir/mnt" 2> "$dir/err" && fail "an unknown profile is taken"
grep -q "no-such-disk" "$dir/err" || fail "the unknown profile is not named"
"$bench" sim hdd-7200 "$dir/src" "$dir/mnt" -o rpm=fast 2> "$dir/err"
[ $? = 2 ] || fail "a bad option is no misuse"
grep -q "rpm 'fast'" "$dir/err" || fail "the bad option is not named"
"$bench" sim hdd-7200 "$dir/absent" "$dir/mnt" 2> "$dir/err"
[ $? = 1 ] || fail "an absent folder is taken"
grep -q "absent" "$dir/err" || fail "the absent folder is not named"
exit 0
