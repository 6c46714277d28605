# SPDX-License-Identifier: Apache-2.0
# What was packed comes back to the byte, folders and all; a part of it by class or pattern.
. "$LIB"
photos
"$PICTURE" "src/emu/$(printf 'odd \377name').jpg" seed=9
dlpack pack -q src out
dlpack extract out back
diff -r src back && echo same
dlpack extract -q --class dog out dogs
(cd dogs && find . -type f | sort)
dlpack extract -q --match '*.png' out pngs
(cd pngs && find . -type f | sort)
nothing_left nowhere
