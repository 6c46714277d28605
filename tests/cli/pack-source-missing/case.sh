# SPDX-License-Identifier: Apache-2.0
# A folder that is not there is named.
. "$LIB"
fails dlpack pack nowhere out
nothing_left out
