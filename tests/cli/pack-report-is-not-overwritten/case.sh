# SPDX-License-Identifier: Apache-2.0
# A report goes to a new file: a wrong name must not cost a picture.
. "$LIB"
photos
fails dlpack pack --report=src/cat/1.jpg src out
nothing_left out
dlpack pack -q src out
