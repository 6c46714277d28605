# SPDX-License-Identifier: Apache-2.0
# Misuse: exit code 2 and a message that names the option, the value and what was expected.
. "$LIB"
fails dlpack bake
fails dlpack pack
fails dlpack pack src
fails dlpack pack src out more
fails dlpack pack --bake src out
fails dlpack pack --block-size=5000 src out
fails dlpack pack --block-size src out
fails dlpack pack -b 8q src out
fails dlpack pack --on-error=maybe src out
fails dlpack pack -j0 src out
fails dlpack pack --level=20 src out
fails dlpack info
fails dlpack verify
