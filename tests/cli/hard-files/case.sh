# SPDX-License-Identifier: Apache-2.0
# Every hard picture is packed or reported, none crashes anything, and what becomes of each is pinned.
. "$LIB"
mkdir -p src/hard
find "$DATA/hard" -maxdepth 1 -type f ! -name '*.csv' ! -name '*.md' -exec cp {} src/hard/ \;
fails dlpack pack --no-shuffle src out 2> first
nothing_left out
dlpack pack --json --on-error=skip --report=report src out > summary.json 2> err
python3 - <<'P'
import json, os
rows = [json.loads(line) for line in open("report", encoding="utf-8")]
for row in sorted(rows, key=lambda row: (row["kind"], str(row["path"]))):
    print(f'{row["kind"]}: {row["path"]}')
packed = json.load(open("summary.json", encoding="utf-8"))["records"]
left_out = sum(row["action"] != "kept" for row in rows)
print("all accounted for:", packed + left_out == sum(len(files) for _, _, files in os.walk("src")))
P
dlpack verify -q --decode out
