# SPDX-License-Identifier: Apache-2.0
# One flipped bit in a picture: shard, block, record, key and offset are named, exit code 1.
. "$LIB"
photos
dlpack pack -q src out
python3 - <<'P'
data = bytearray(open("out/shard-00000.dls", "rb").read())
jpeg = open("src/cat/2.jpg", "rb").read()
at = bytes(data).index(jpeg) + len(jpeg) // 2
data[at] ^= 4
open("out/shard-00000.dls", "wb").write(data)
P
fails dlpack verify out
fails dlpack verify --json out > verify.json
python3 - <<'P'
import json
text = open("verify.json", encoding="utf-8").read()
d = json.loads(text[:text.rindex("}") + 1])
assert d["good"] is False, d
print(sorted({p.get("key") for p in d["problems"]} - {None}))
P
