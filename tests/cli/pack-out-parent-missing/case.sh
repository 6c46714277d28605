# SPDX-License-Identifier: Apache-2.0
# The directory in which OUT is to appear has to be there.
. "$LIB"
photos
fails dlpack pack src no/such/out
fails dlpack pack src ""
fails dlpack pack src ..
