# SPDX-License-Identifier: Apache-2.0
# Pipes and the like are reported and passed over: opening one would wait for ever.
. "$LIB"
photos
mkfifo src/cat/pipe.jpg
mkdir src/cat/folder.jpg
dlpack pack src out > /dev/null
dlpack info --json out > info.json
json info.json 'print(d["records"], "records")'
