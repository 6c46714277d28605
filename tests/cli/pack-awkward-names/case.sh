# SPDX-License-Identifier: Apache-2.0
# Names are bytes: blanks, line breaks, '%', a leading dash, other scripts, what is not UTF-8. Kept exactly.
. "$LIB"
mkdir src
python3 - <<'P'
import os
names = [b"-rf/-rf.jpg", b"a b/%s%n.jpg", b"a b/new\nline.jpg", "名前/写真 テスト.jpg".encode(), b"\xff\xfe/\x80.jpg",
         b"z/" + b"x" * 240 + b".jpg", b"z/.jpg.".replace(b".jpg.", b"no extension"), b"z/'\"$(x)`.jpg"]
jpeg = os.path.join(b"src", b"x.jpg")
os.system('"$PICTURE" src/x.jpg')
data = open(jpeg, "rb").read()
os.unlink(jpeg)
for name in names:
    os.makedirs(os.path.join(b"src", os.path.dirname(name)), exist_ok=True)
    with open(os.path.join(b"src", name), "wb") as file:
        file.write(data)
with open(b"src/\xff\xfe/bad\x1b[31m.jpg", "wb") as file:
    file.write(b"no")
P
dlpack pack --on-error=skip --report=report src out > /dev/null
dlpack info out | grep -A 8 '^classes'
dlpack info --json out > info.json
json info.json 'print([c["name"] for c in d["classes"]])'
cat report
dlpack verify --decode out > /dev/null
