# SPDX-License-Identifier: Apache-2.0
# --no-check reads headers alone: a damaged picture goes through, and no mean is computed.
. "$LIB"
photos
head -c 1000 src/cat/1.jpg > src/cat/cut.jpg
dlpack pack --no-check --json src out > summary.json
json summary.json 'assert d["records"] == 7 and "mean" not in d, d'
