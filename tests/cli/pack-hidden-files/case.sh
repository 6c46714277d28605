# SPDX-License-Identifier: Apache-2.0
# Hidden files and directories are passed over unless asked for; a hidden class directory is mentioned.
. "$LIB"
photos
cp src/cat/1.jpg src/cat/._1.jpg
mkdir src/.cache
cp src/cat/1.jpg src/.cache/1.jpg
dlpack pack --json src out > summary.json
json summary.json 'print(d["records"], d["classes"], d["problems"])'
dlpack pack --json --hidden src all > summary.json
json summary.json 'print(d["records"], d["classes"], d["problems"])'
