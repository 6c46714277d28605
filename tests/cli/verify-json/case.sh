# SPDX-License-Identifier: Apache-2.0
. "$LIB"
photos
dlpack pack -q src out
dlpack verify --decode --json out > verify.json
json verify.json 'assert d["records"] == 6 and d["problems"] == [] and d["good"] is True, d'
