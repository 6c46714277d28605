# SPDX-License-Identifier: Apache-2.0
# A shard of a later version of the format is refused as such, not as damaged.
. "$LIB"
photos
dlpack pack -q src out
python3 - <<'P'
import json
text = open("out/dataset.json", encoding="ascii").read()
assert '"version"' in text
P
printf '\002\000' | dd of=out/shard-00000.dls bs=1 seek=8 conv=notrunc 2> /dev/null
fails dlpack verify out
