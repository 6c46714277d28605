# SPDX-License-Identifier: Apache-2.0
. "$LIB"
dlpack --version
