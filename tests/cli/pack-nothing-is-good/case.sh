# SPDX-License-Identifier: Apache-2.0
# When every file is bad there is nothing to pack, even with --on-error=skip.
. "$LIB"
mkdir -p src/a
echo no > src/a/1.jpg
fails dlpack pack --on-error=skip src out
nothing_left out
