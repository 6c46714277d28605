# SPDX-License-Identifier: Apache-2.0
# What is no dataset is named, with the reason.
. "$LIB"
photos
fails dlpack info nowhere
fails dlpack info src
mkdir odd
echo '{}' > odd/dataset.json
fails dlpack info odd
