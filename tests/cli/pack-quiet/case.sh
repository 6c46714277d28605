# SPDX-License-Identifier: Apache-2.0
# -q prints nothing when all is well.
. "$LIB"
photos
dlpack pack -q src out
test -f out/dataset.json
