# SPDX-License-Identifier: Apache-2.0
. "$LIB"
fails dlpack verify nowhere
