# SPDX-License-Identifier: Apache-2.0
# Help goes to stdout with exit code 0, for the tool and for each command.
. "$LIB"
dlpack --help | head -n 2
dlpack --commands | cut -f 1 | while read -r command; do
    dlpack "$command" --help | head -n 1
done
