#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the cases of the command-line tools and prints TAP, a line a case.

A case is a directory with case.sh, which runs in an empty directory of its own. What it is expected to print lies
beside it in stdout.exact or stdout.glob (a pattern a line: * ? and [..] as in a shell), stderr.exact or
stderr.glob, and exit; silence and exit code 0 are expected where there is none. Exit code 77 means that this
machine cannot run the case: the last line on stdout says why.

    run.py [--update] [--jobs N] CASES [NAME...]

--update writes what was printed as the new expectation (.exact, or .glob where one is there already). In the
environment DLPACK is the tool, PICTURE makes pictures, SEAL makes checksums right, KEYED makes datasets with any keys, LIB is lib.sh, TOOLS the folder of the tools' sources, SAMPLE
that of the sample photos, DATA that of the tests' data; without them those of build/ are taken.
"""
import argparse
import concurrent.futures
import fnmatch
import os
import shutil
import subprocess
import sys
import tempfile

TIMEOUT = 120


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "backslashreplace")
    except FileNotFoundError:
        return None


def lines_match(patterns, text):
    want, got = patterns.splitlines(), text.splitlines()
    return len(want) == len(got) and all(fnmatch.fnmatchcase(g, w) for g, w in zip(got, want))


def compare(case, stream, text):
    """The complaint, or None."""
    exact, glob = read(f"{case}/{stream}.exact"), read(f"{case}/{stream}.glob")
    if glob is not None:
        want, good = glob, lines_match(glob, text)
    else:
        want = exact or ""
        good = want == text
    return None if good else f"{stream}: expected\n{want}\ngot\n{text}"


def update(case, stream, text):
    glob = os.path.exists(f"{case}/{stream}.glob")
    if glob and compare(case, stream, text) is None:
        return
    path = f"{case}/{stream}." + ("glob" if glob else "exact")
    if text:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    elif os.path.exists(path):
        os.unlink(path)


def run_case(case, updating):
    """(state, detail): ok, fail or skip."""
    work = tempfile.mkdtemp(prefix="dls-cli-")
    top = os.path.dirname(os.path.dirname(os.path.dirname(case)))
    env = dict({"DLPACK": f"{top}/build/tools/dlpack-shards", "PICTURE": f"{top}/build/tests/cli/picture",
                "SEAL": f"{top}/build/tests/cli/seal", "KEYED": f"{top}/build/tests/cli/keyed",
                "LIB": f"{top}/tests/cli/lib.sh", "TOOLS": f"{top}/tools", "SAMPLE": f"{top}/tools/sample",
                "DATA": f"{top}/tests/data"})
    env.update(os.environ, LC_ALL="C.UTF-8", CASE=case, TMPDIR=work)
    os.mkdir(f"{work}/work")
    try:
        with open(f"{work}/out", "wb") as out, open(f"{work}/err", "wb") as err:
            done = subprocess.run(["sh", "-eu", f"{case}/case.sh"], cwd=f"{work}/work", stdin=subprocess.DEVNULL,
                                  stdout=out, stderr=err, env=env, timeout=TIMEOUT, check=False)
        out, err = read(f"{work}/out"), read(f"{work}/err")
        if done.returncode == 77:
            return "skip", (out.splitlines() or ["no reason given"])[-1]
        if updating:
            update(case, "stdout", out)
            update(case, "stderr", err)
        faults = [compare(case, "stdout", out), compare(case, "stderr", err)]
        want = int(read(f"{case}/exit") or 0)
        if done.returncode != want:
            faults.append(f"exit code: expected {want}, got {done.returncode}\nstderr:\n{err}")
        faults = [fault for fault in faults if fault]
        return ("fail", "\n".join(faults)) if faults else ("ok", "")
    except subprocess.TimeoutExpired:
        return "fail", f"took longer than {TIMEOUT} s"
    finally:
        subprocess.run(["chmod", "-R", "u+rwX", work], stderr=subprocess.DEVNULL, check=False)
        shutil.rmtree(work, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("cases")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    root = os.path.abspath(args.cases)
    names = args.names or sorted(n for n in os.listdir(root) if os.path.exists(f"{root}/{n}/case.sh"))
    print(f"1..{len(names)}", flush=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = pool.map(lambda name: run_case(f"{root}/{name}", args.update), names)
        for number, (name, (state, detail)) in enumerate(zip(names, results), 1):
            if state == "fail":
                failed += 1
                print(f"not ok {number} - {name}")
                print("\n".join("# " + line for line in detail.splitlines()), flush=True)
            else:
                print(f"ok {number} - {name}" + (f" # SKIP {detail}" if state == "skip" else ""), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
