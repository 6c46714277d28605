# SPDX-License-Identifier: Apache-2.0
# A file system without room is found out before the start, and named.
. "$LIB"
photos
head -c 900000 /dev/zero | tr '\0' x > big
"$PICTURE" src/cat/big.jpg width=2000 height=2000 quality=100
mkdir disk
mount -t tmpfs -o size=256k tmpfs disk 2> /dev/null || skip "tmpfs cannot be mounted"
trap 'umount disk' EXIT
fails dlpack pack src disk/out
ls -A disk
