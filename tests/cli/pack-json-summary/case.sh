# SPDX-License-Identifier: Apache-2.0
# --json prints the summary as an object that a parser reads.
. "$LIB"
photos
dlpack pack --json src out > summary.json
json summary.json '
assert d["dataset"] == "out" and d["records"] == 6 and d["classes"] == 3 and d["skipped"] == 0, d
assert d["codecs"] == {"jpeg": 5, "png": 1}, d
assert len(d["mean"]) == 3 and all(0 < m < 1 for m in d["mean"] + d["std"]), d
assert d["problems"] == {} and d["seconds"] > 0 and d["files_per_second"] > 0, d'
