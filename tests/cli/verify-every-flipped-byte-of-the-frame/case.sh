# SPDX-License-Identifier: Apache-2.0
# Damage anywhere in header, directory, tables, trailer or manifest is found: a byte in every 97 is flipped in turn.
. "$LIB"
photos
dlpack pack -q -b 4k src out
python3 - "$DLPACK" <<'P'
import subprocess, sys
missed = []
for name, step in (("out/shard-00000.dls", 997), ("out/dataset.json", 197)):
    good = open(name, "rb").read()
    for at in list(range(0, len(good), step)) + [len(good) - 1]:
        data = bytearray(good)
        data[at] ^= 0x20
        with open(name, "wb") as file:
            file.write(data)
        done = subprocess.run([sys.argv[1], "verify", "out"], capture_output=True)
        if done.returncode != 1 or not (done.stdout + done.stderr):
            missed.append((name, at, done.returncode))
    with open(name, "wb") as file:
        file.write(good)
print("missed:", missed)
P
dlpack verify out > /dev/null
