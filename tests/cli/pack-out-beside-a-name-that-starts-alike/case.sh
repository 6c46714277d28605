# SPDX-License-Identifier: Apache-2.0
# "src2" is not inside "src".
. "$LIB"
photos
dlpack pack -q src src2
test -f src2/dataset.json
