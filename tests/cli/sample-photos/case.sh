# SPDX-License-Identifier: Apache-2.0
# The sample photos of the demo: every picture is packed, and none needs a warning.
. "$LIB"
dlpack pack --json "$SAMPLE" out > summary.json 2> err || cat err
json summary.json '
assert d["skipped"] == 0 and d["problems"] == {}, d
assert d["records"] >= 20 and d["classes"] >= 5 and d["codecs"]["jpeg"] >= 15, d'
find "$SAMPLE" -mindepth 2 -type f | wc -l > files
json summary.json 'print(d["records"] == int(open("files").read()))'
dlpack verify -q --decode out
