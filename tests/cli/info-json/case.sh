# SPDX-License-Identifier: Apache-2.0
# --json: everything, as a parser reads it.
. "$LIB"
photos
dlpack pack -q --seed=18446744073709551615 src out
dlpack info --json out > info.json
json info.json '
assert d["records"] == 6 and d["shards"] == 1 and d["blocks"] == 1, d
assert d["seed"] == "18446744073709551615" and d["shuffled"] is True, d
assert [(f["name"], f["type"]) for f in d["fields"]] == [("image", "image"), ("label", "int64"), ("key", "string")], d
assert [(c["name"], c["records"]) for c in d["classes"]] == [("cat", 3), ("dog", 2), ("emu", 1)], d
assert d["codecs"] == {"jpeg": 5, "png": 1}, d
assert d["sizes"]["percent"] == [0, 1, 5, 25, 50, 75, 95, 99, 100], d
assert d["sizes"]["width"][0] == 64 and d["sizes"]["width"][8] == 80, d
assert d["sizes"]["height"][0] == 33 and d["sizes"]["height"][8] == 48, d
assert len(d["uuid"]) == 32 and d["creator"].startswith("dlpack-shards "), d
assert sum(s["bytes"] for s in d["shard_files"]) == d["bytes"], d'
