# SPDX-License-Identifier: Apache-2.0
# A sound dataset: counts, exit code 0.
. "$LIB"
photos
dlpack pack -q src out
dlpack verify out
dlpack verify --decode -j 2 out
