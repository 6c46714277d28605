# SPDX-License-Identifier: Apache-2.0
. "$LIB"
photos
dlpack pack -q src out
rm out/shard-00000.dls
fails dlpack verify out
