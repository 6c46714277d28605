# SPDX-License-Identifier: Apache-2.0
# What the tests of dls-bench share; read with `. "$(dirname "$0")/lib.sh"` after `bench` and `json_get` are set. `dir` is
# a folder of the test's own, which goes at its end; what the program printed last is in its `out` and `err`.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

fail() {
    echo "FAILED: $*"
    head -c 3000 "$dir/out" "$dir/err"
    exit 1
}

# expect CODE ARGUMENT...: runs the program.
expect() {
    local want=$1
    shift
    "$bench" "$@" > "$dir/out" 2> "$dir/err"
    local code=$?
    [ "$code" = "$want" ] || fail "$*: exit code $code, not $want"
}

# member NAME VALUE: of the JSON printed last.
member() {
    local got
    got=$("$json_get" "$dir/out" "$1") || fail "no member $1"
    [ "$got" = "$2" ] || fail "$1 is $got, not $2"
}
