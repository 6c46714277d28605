# SPDX-License-Identifier: Apache-2.0
# An empty folder, and one with an empty class alone.
. "$LIB"
mkdir src
fails dlpack pack src out
mkdir src/cat
fails dlpack pack src out
nothing_left out
