# SPDX-License-Identifier: Apache-2.0
# The demo on a folder of one's own: three epochs are streamed, a file that is no picture is passed over with a word,
# nothing in the folder is changed, and nothing is left behind.
. "$LIB"
photos
echo 'not a picture' > src/cat/9.jpg
find src -exec ls -ld --time-style=full-iso {} + > before
DLS_SKIP_SETUP=1 DLS_BUILD="$(dirname "$(dirname "$DLPACK")")" "$TOOLS/demo" src > out 2> err || { cat out err; exit 1; }
find src -exec ls -ld --time-style=full-iso {} + > after
cmp before after
grep -o '== [A-Z][a-z]*' out
grep -c 9.jpg err
ls "$TMPDIR" | grep demo || echo "nothing left"
