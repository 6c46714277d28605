# SPDX-License-Identifier: Apache-2.0
# Pictures directly in SRC, without classes, are packed without labels.
. "$LIB"
photos
dlpack pack src/cat out > /dev/null
dlpack info out | grep -E '^(records|classes)'
