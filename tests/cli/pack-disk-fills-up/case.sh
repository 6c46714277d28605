# SPDX-License-Identifier: Apache-2.0
# A disk that fills up while writing: a clear message, nothing left.
. "$LIB"
photos
"$PICTURE" src/cat/big.jpg width=2000 height=2000 quality=100
mkdir disk
mount -t tmpfs -o size=256k tmpfs disk 2> /dev/null || skip "tmpfs cannot be mounted"
trap 'umount disk' EXIT
fails dlpack pack --no-space-check src disk/out
ls -A disk
