# SPDX-License-Identifier: Apache-2.0
# With 1 and 2 closed, what is written to them must not end up in the files that are opened next.
. "$LIB"
photos
echo text > src/cat/4.jpg
dlpack pack --on-error=skip --report=report.json --progress=json src out >&- 2>&- || echo "exit code $?"
python3 -c 'import json; print(*sorted(json.loads(line)["path"] for line in open("report.json")))'
dlpack verify --quiet out
dlpack pack --on-error=skip --progress=json src again >&- 2>&- || echo "exit code $?"
dlpack verify --quiet again
dlpack pack --on-error=skip --progress=json src third <&- >&- 2>&- || echo "exit code $?"
dlpack verify --quiet third
