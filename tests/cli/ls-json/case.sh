# SPDX-License-Identifier: Apache-2.0
# A JSON object a line; a key that is not UTF-8 is hex, as everywhere; control characters cannot reach a terminal.
. "$LIB"
"$KEYED" out "a/b" "$(printf 'bad\377')" "$(printf 'esc\033[1m')"
dlpack ls --json out > lines
python3 - <<'P'
import json
rows = [json.loads(line) for line in open("lines", encoding="utf-8")]
print(len(rows), rows[0]["key"], rows[1]["key"], repr(rows[2]["key"]))
print(sorted(rows[0]))
print(rows[0]["number"], rows[0]["codec"], rows[0]["width"], rows[0]["height"], rows[0]["label"])
P
dlpack ls out
