# SPDX-License-Identifier: Apache-2.0
# A file without permission to read: named with the reason, or listed and left out. Root reads everything, so the
# tool is run as another user then.
. "$LIB"
photos
chmod 000 src/cat/2.jpg
chmod 777 .
if [ "$(id -u)" = 0 ]; then
    command -v setpriv > /dev/null || skip "setpriv is not there to run as another user"
    chmod 755 "$TMPDIR"
    setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$DLPACK" || skip "another user cannot run the tool"
    as="setpriv --reuid=65534 --regid=65534 --clear-groups"
else
    as=
fi
fails $as "$DLPACK" pack src out
nothing_left out
$as "$DLPACK" pack --on-error=skip src out
