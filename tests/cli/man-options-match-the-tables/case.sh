# SPDX-License-Identifier: Apache-2.0
# The option lists in the manual page are those that --mdoc prints.
. "$LIB"
dlpack --commands | cut -f 1 | while read -r command; do
    dlpack "$command" --mdoc > want
    sed -n "/^\.\\\\\" options of $command\$/,/^\.\\\\\" end\$/p" "$TOOLS/man/dlpack-shards.1" | sed '1d;$d' > got
    diff want got || echo "the options of $command differ: tools/man/update writes them"
done
