# SPDX-License-Identifier: Apache-2.0
# Without a command: help on stderr, exit code 2.
. "$LIB"
fails dlpack 2>&1 | grep -E '^(Usage|exit)'
