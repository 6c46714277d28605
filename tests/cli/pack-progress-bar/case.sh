# SPDX-License-Identifier: Apache-2.0
# A bar only where asked for or on a terminal: one line that is taken away at the end.
. "$LIB"
photos
dlpack pack --progress=bar src out > /dev/null 2> bar
python3 - bar <<'P'
import sys
text = open(sys.argv[1], encoding="utf-8", newline="").read()
assert "\n" not in text and text.startswith("\rpack") and "MB/s" in text and text.endswith("\r\x1b[K"), repr(text)
P
dlpack pack src out2 > /dev/null
