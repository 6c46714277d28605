# SPDX-License-Identifier: Apache-2.0
"""The Python package as it lies in a build folder, for scripts that are run without an installation."""
import importlib.util
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def load(build):
    """Makes `import dlshards` find the sources beside this folder and the extension in `build`."""
    sys.path.insert(0, os.path.join(HERE, "../python"))
    extension = os.path.join(build, "python", "_dlshards.abi3.so")
    spec = importlib.util.spec_from_file_location("dlshards._dlshards", extension)
    module = importlib.util.module_from_spec(spec)
    sys.modules["dlshards._dlshards"] = module
    spec.loader.exec_module(module)
