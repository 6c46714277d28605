# SPDX-License-Identifier: Apache-2.0
# The zsh completion is at least a script that zsh reads.
. "$LIB"
command -v zsh > /dev/null || skip "zsh is not there"
zsh -n "$TOOLS/completions/_dlpack-shards"
