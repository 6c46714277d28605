# SPDX-License-Identifier: Apache-2.0
# mandoc finds nothing to say about the manual page.
. "$LIB"
command -v mandoc > /dev/null || skip "mandoc is not there"
mandoc -Tlint -W warning "$TOOLS/man/dlpack-shards.1"
