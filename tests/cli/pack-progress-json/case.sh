# SPDX-License-Identifier: Apache-2.0
# --progress=json: every line on stderr is an object; the last one says that all is done.
. "$LIB"
photos
dlpack pack --progress=json src out > /dev/null 2> progress
python3 - progress <<'P'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
assert rows and all(row["event"] == "progress" and row["command"] == "pack" for row in rows), rows
last = rows[-1]
assert last["files"] == last["total_files"] == 6 and last["bytes"] == last["total_bytes"] > 0, last
P
