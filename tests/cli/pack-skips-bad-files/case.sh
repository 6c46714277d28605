# SPDX-License-Identifier: Apache-2.0
# --on-error=skip leaves them out, lists each, and writes a report that a parser reads.
. "$LIB"
photos
head -c 900 src/cat/1.jpg > src/cat/cut.jpg
: > src/cat/nothing.jpg
echo "<html>" > src/dog/404.jpg
printf 'GIF89a....' > src/dog/moving.jpg
ln -s nowhere src/emu/gone.jpg
dlpack pack --no-shuffle --on-error=skip --report=report.jsonl src out
python3 - report.jsonl <<'P'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
for row in rows:
    assert sorted(row) == ["action", "kind", "message", "path"] and row["message"], row
    print(row["path"], row["kind"], row["action"])
P
