# SPDX-License-Identifier: Apache-2.0
# A shard or manifest of a later version of the format is refused as such, not as damaged.
. "$LIB"
photos
dlpack pack -q src out
cp -r out newer-shard
printf '\002\000' | dd of=newer-shard/shard-00000.dls bs=1 seek=8 conv=notrunc 2> /dev/null
"$SEAL" newer-shard/shard-00000.dls
fails dlpack verify newer-shard | grep version
cp -r out newer-manifest
sed -i 's/"version": *\[1, *0\]/"version": [2, 0]/' newer-manifest/dataset.json
"$SEAL" newer-manifest/dataset.json
fails dlpack verify newer-manifest
fails dlpack info newer-manifest
# Sealed without a change, a dataset stays as it was.
"$SEAL" out/shard-00000.dls
"$SEAL" out/dataset.json
dlpack verify -q out
