# SPDX-License-Identifier: Apache-2.0
# What the demo is not given right it names, before it installs or builds anything.
. "$LIB"
export DLS_SKIP_SETUP=1
fails "$TOOLS/demo" nowhere
fails "$TOOLS/demo" --fast
fails "$TOOLS/demo" a b
fails "$TOOLS/setup" everything
"$TOOLS/demo" --help | head -n 1
