# SPDX-License-Identifier: Apache-2.0
# A result that does not reach the standard output is a failure.
. "$LIB"
test -w /dev/full || skip "/dev/full is not there"
dlpack pack --help > /dev/full || echo "exit code $?"
