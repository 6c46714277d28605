# SPDX-License-Identifier: Apache-2.0
# A picture that was damaged before it was packed is found by --decode alone.
. "$LIB"
photos
python3 - <<'P'
data = open("src/cat/2.jpg", "rb").read()
open("src/cat/2.jpg", "wb").write(data[:len(data) * 2 // 3])
P
dlpack pack -q --no-check src out
dlpack verify out > /dev/null
fails dlpack verify --decode out
