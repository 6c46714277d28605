# SPDX-License-Identifier: Apache-2.0
# An existing OUT, a damaged record, a folder that is not there, a class that is not there: nothing is left.
. "$LIB"
photos
dlpack pack -q src out
mkdir there
fails dlpack extract out there
fails dlpack extract out absent/back
fails dlpack extract --class cow out back
fails dlpack extract src back
nothing_left back
# A byte of a picture is turned over: the record is named.
python3 - <<'P'
import json, subprocess, os
line = subprocess.run([os.environ["DLPACK"], "ls", "--json", "-n", "1", "out"], capture_output=True, text=True).stdout
at = json.loads(line)["offset"] + 20
with open("out/shard-00000.dls", "r+b") as file:
    file.seek(at)
    byte = file.read(1)
    file.seek(at)
    file.write(bytes([byte[0] ^ 1]))
P
fails dlpack extract out back
nothing_left back
