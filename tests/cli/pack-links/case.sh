# SPDX-License-Identifier: Apache-2.0
# Links to files and directories are followed, loops are not.
. "$LIB"
photos
ln -s ../dog src/emu/dogs
ln -s .. src/dog/up
ln -s 1.jpg src/emu/2.jpg
dlpack pack src out > /dev/null
dlpack info --json out > info.json
json info.json 'print(d["records"], "records"); print(d["classes"])'
