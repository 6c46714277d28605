# SPDX-License-Identifier: Apache-2.0
# A key never leads out of the folder, and two records never share a file.
. "$LIB"
for key in ../escaped /tmp/escaped a/../../escaped a//b a/./b a/ . .. "aNULb"; do
    rm -rf out
    "$KEYED" out ok "$key"
    fails dlpack extract out back
    nothing_left back
done
rm -rf out
"$KEYED" out same same
fails dlpack extract out back
rm -rf out
"$KEYED" out file file/below
fails dlpack extract out back
nothing_left back
[ ! -e escaped ] || echo "it escaped"
