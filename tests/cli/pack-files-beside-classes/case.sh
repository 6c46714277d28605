# SPDX-License-Identifier: Apache-2.0
# A README beside the class directories belongs to no class and is passed over.
. "$LIB"
photos
echo hello > src/README
dlpack pack src out > /dev/null
dlpack info --json out > info.json
json info.json 'print(d["records"], "records")'
