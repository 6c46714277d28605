# SPDX-License-Identifier: Apache-2.0
# A directory that cannot be listed is an error like a file that cannot be read, not an empty class.
. "$LIB"
photos
mkdir src/cat/deep
cp src/cat/1.jpg src/cat/deep/9.jpg
chmod 000 src/cat/deep
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
$as "$DLPACK" pack -q --on-error=skip src out
dlpack info --json out > info.json
json info.json 'print(d["records"], "records")'
