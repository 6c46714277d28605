# SPDX-License-Identifier: Apache-2.0
# What cases share; read with ". $LIB". DLPACK is the tool, PICTURE makes pictures.

dlpack() {
    "$DLPACK" "$@"
}

# Three small classes: cat (3 JPEG), dog (JPEG and PNG), emu (JPEG): src/
photos() {
    mkdir -p src/cat src/dog src/emu
    "$PICTURE" src/cat/1.jpg seed=1
    "$PICTURE" src/cat/2.jpg seed=2 width=80 height=33
    "$PICTURE" src/cat/3.jpg seed=3 gray=1
    "$PICTURE" src/dog/1.jpg seed=4 orientation=6
    "$PICTURE" src/dog/2.png seed=5
    "$PICTURE" src/emu/1.jpg seed=6 progressive=1
}

# The case cannot be run here.
skip() {
    echo "$*"
    exit 77
}

# Runs a command that has to fail and prints its exit code.
fails() {
    if "$@"; then
        echo "succeeded: $*"
    else
        echo "exit code $?"
    fi
}

# Says so if a run left anything of OUT behind, temporary directories included.
nothing_left() {
    for left in "$1" ".$1".tmp-*; do
        if [ -e "$left" ]; then
            echo "left behind: $left"
        fi
    done
}

# Runs a python program that reads JSON from the file named.
json() {
    python3 -c "import json, sys
with open(sys.argv[1], encoding='utf-8') as file:
    d = json.load(file)
$2" "$1"
}
