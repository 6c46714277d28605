# SPDX-License-Identifier: Apache-2.0
# A shard that is cut off is said to be so, with both sizes.
. "$LIB"
photos
dlpack pack -q src out
python3 - <<'P'
import os
os.truncate("out/shard-00000.dls", os.path.getsize("out/shard-00000.dls") - 100)
P
fails dlpack verify out
fails dlpack info out
