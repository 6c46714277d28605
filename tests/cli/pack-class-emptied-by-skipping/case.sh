# SPDX-License-Identifier: Apache-2.0
# A class whose files are all bad keeps its label, and that is said.
. "$LIB"
photos
rm src/dog/*
echo no > src/dog/1.jpg
dlpack pack --on-error=skip --json src out > summary.json
dlpack info out | grep -A 4 '^classes'
