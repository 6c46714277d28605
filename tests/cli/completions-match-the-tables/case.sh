# SPDX-License-Identifier: Apache-2.0
# The completion files read --commands and --long-options; both list what is there.
. "$LIB"
dlpack --commands | cut -f 1
dlpack pack --long-options | cut -f 1 | tr '\n' ' '
echo
dlpack info --long-options | cut -f 1 | tr '\n' ' '
echo
dlpack verify --long-options | cut -f 1 | tr '\n' ' '
echo
dlpack ls --long-options | cut -f 1 | tr '\n' ' '
echo
dlpack cat --long-options | cut -f 1 | tr '\n' ' '
echo
dlpack extract --long-options | cut -f 1 | tr '\n' ' '
echo
