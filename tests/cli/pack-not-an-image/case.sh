# SPDX-License-Identifier: Apache-2.0
# By default the first file that is no picture, in the order of the list, ends the run, and nothing is left.
. "$LIB"
photos
echo "Once upon a time" > src/dog/note.jpg
fails dlpack pack --no-shuffle src out
nothing_left out
