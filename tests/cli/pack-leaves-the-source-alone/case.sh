# SPDX-License-Identifier: Apache-2.0
# Nothing in the source changes: content, times (of access, too), inodes, modes.
. "$LIB"
photos
touch -d '2001-02-03 04:05:06' src/cat/* src/dog/* src/emu/*
facts() {
    find src -exec stat -c '%n %i %a %s %Y' {} + | sort
    find src -type f -exec stat -c '%n %X' {} + | sort
    find src -type f -exec sha256sum {} + | sort
}
find src -type f -exec cat {} + > /dev/null
facts > before
dlpack pack -q src out
facts > after
diff before after
