# SPDX-License-Identifier: Apache-2.0
"""with_build.py BUILD_DIR SCRIPT [ARGUMENTS]: runs a script that imports dlshards, out of the build."""

import os
import runpy
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run

if __name__ == "__main__":
    run.load_package(sys.argv[1])
    sys.argv = sys.argv[2:]
    sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))
    runpy.run_path(sys.argv[0], run_name="__main__")
