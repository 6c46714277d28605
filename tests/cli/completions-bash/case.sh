# SPDX-License-Identifier: Apache-2.0
# Bash completes commands, options, the words of a choice and names of files.
. "$LIB"
command -v bash > /dev/null || skip "bash is not there"
mkdir bin folder
ln -s "$DLPACK" bin/dlpack-shards
PATH=$PWD/bin:$PATH bash -c '
. "$1"
try() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _dlpack_shards
    echo "$*: ${COMPREPLY[*]}"
}
try dlpack-shards p
try dlpack-shards pack --no-s
try dlpack-shards pack --on-error = s
try dlpack-shards pack --on-error ""
try dlpack-shards pack fol
try dlpack-shards info --j
' bash "$TOOLS/completions/dlpack-shards.bash"
