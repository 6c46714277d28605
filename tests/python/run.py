# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of this folder and prints TAP, so that each test method counts as one.

usage: run.py BUILD_DIR [PATTERN] — BUILD_DIR holds tools/dlpack-shards and python/_dlshards.abi3.so; files that match
PATTERN (test_*.py) are run. $DLS_EXTENSION names another extension.
"""

import importlib.util
import os
import pathlib
import sys
import unittest


class TapResult(unittest.TestResult):
    def _line(self, ok, test, note=""):
        print(f"{'ok' if ok else 'not ok'} {self.testsRun} - {test.id()}{note}", flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self._line(True, test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._line(True, test, f" # SKIP {reason}")

    def _bad(self, test, text):
        self._line(False, test)
        for line in text.splitlines():
            print(f"# {line}")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._bad(test, self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self._bad(test, self.errors[-1][1])


def load_package(build):
    """Makes `import dlshards` find the sources here and the extension in the build folder."""
    source = pathlib.Path(__file__).resolve().parents[2] / "python"
    sys.path.insert(0, str(source))
    sys.dont_write_bytecode = True
    extension = pathlib.Path(build) / "python" / os.environ.get("DLS_EXTENSION", "_dlshards.abi3.so")
    spec = importlib.util.spec_from_file_location("dlshards._dlshards", extension)
    module = importlib.util.module_from_spec(spec)
    sys.modules["dlshards._dlshards"] = module
    spec.loader.exec_module(module)


def main():
    build = os.path.abspath(sys.argv[1])
    os.environ["DLS_BUILD"] = build
    os.environ["PATH"] = os.path.join(build, "tools") + os.pathsep + os.environ["PATH"]
    if importlib.util.find_spec("numpy") is None:
        print("1..0 # SKIP this Python has no numpy")
        return 0
    pattern = sys.argv[2] if len(sys.argv) > 2 else "test_*.py"
    load_package(build)
    here = os.path.dirname(os.path.abspath(__file__))
    suite = unittest.defaultTestLoader.discover(here, pattern=pattern)
    print(f"1..{suite.countTestCases()}")
    result = TapResult()
    suite.run(result)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
