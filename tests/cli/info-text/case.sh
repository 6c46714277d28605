# SPDX-License-Identifier: Apache-2.0
# What info shows to people.
. "$LIB"
photos
dlpack pack -q src out
dlpack info out
dlpack info --shards out | tail -n 1
