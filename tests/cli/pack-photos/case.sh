# SPDX-License-Identifier: Apache-2.0
# Three classes of JPEG and PNG files become a dataset; the summary counts them.
. "$LIB"
photos
dlpack pack src out
test -f out/dataset.json
test -f out/shard-00000.dls
