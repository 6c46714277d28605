# SPDX-License-Identifier: Apache-2.0
# Mean and deviation are those of all pixels, to the last digit shown.
. "$LIB"
mkdir -p src/a src/b
python3 - <<'P'
# PNG files of one colour each, made by hand: 2 pixels of (255, 0, 51), 6 pixels of (0, 255, 51).
import struct, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
def png(name, width, height, colour):
    rows = b"".join(b"\0" + bytes(colour) * width for _ in range(height))
    with open(name, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
png("src/a/1.png", 2, 1, (255, 0, 51))
png("src/b/1.png", 3, 2, (0, 255, 51))
P
dlpack pack --json src out > summary.json || test $? = 77
dlpack info --json out > info.json
json info.json '
assert [round(m, 6) for m in d["mean"]] == [0.25, 0.75, 0.2], d["mean"]
assert [round(s, 6) for s in d["std"]] == [0.433013, 0.433013, 0.0], d["std"]'
