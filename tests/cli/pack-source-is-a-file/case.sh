# SPDX-License-Identifier: Apache-2.0
# A file in the place of the folder: the message says what to give.
. "$LIB"
photos
fails dlpack pack src/cat/1.jpg out
nothing_left out
