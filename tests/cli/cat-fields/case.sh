# SPDX-License-Identifier: Apache-2.0
# The image is the file as it was packed; other fields; a record by its number.
. "$LIB"
photos
dlpack pack -q src out
for key in cat/1.jpg dog/2.png emu/1.jpg; do
    dlpack cat out "$key" | cmp - "src/$key"
done
dlpack cat -f label out dog/1.jpg
dlpack cat -f key out dog/1.jpg
echo
for number in 0 1 2 3 4 5; do
    dlpack cat --number --field=key out "$number"
    echo
done > by-number
dlpack ls out | cmp - by-number
fails dlpack cat out cow/1.jpg
fails dlpack cat -n out 6
fails dlpack cat -n out x
fails dlpack cat -f depth out cat/1.jpg
fails dlpack cat src cat/1.jpg
