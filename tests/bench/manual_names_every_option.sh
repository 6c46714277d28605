#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The manual page has the option list that the program's own tables give.
set -u
bench=$1
page=$2
for command in $("$bench" --commands | cut -f1); do
    list=$("$bench" "$command" --mdoc) || exit 1
    while IFS= read -r line; do
        grep -qxF -- "$line" "$page" || { echo "$command: the page lacks: $line"; exit 1; }
    done <<< "$list"
done
