# SPDX-License-Identifier: Apache-2.0
"""Runs contestants in turn for some rounds, and turns what they report into medians, spread and ratios.

Machines drift: a run is only compared with the runs of its own round, which stand minutes apart at most. The order within
a round rotates, so that no contestant always follows the same one.
"""
import argparse
import datetime
import json
import os
import re
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--bench", default=os.path.join(HERE, "../build/bench/dls-bench"), help="the dls-bench to use")
    parser.add_argument("--rounds", type=int, default=7, help="rounds (default 7)")
    parser.add_argument("--seconds", type=float, default=4, help="of each run (default 4)")
    parser.add_argument("--note", default="", help="a line about the circumstances, kept with the result")
    parser.add_argument("--out", help="write OUT.json and OUT.md as well")
    return parser


def run_json(command):
    """The JSON a command prints; its complaints are passed on."""
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}")
    return json.loads(done.stdout)


def bench_run(bench, dataset, seconds, *options):
    """One `dls-bench run`: its measures and its whole result."""
    result = run_json([bench, "run", dataset, "--json", "--quiet", f"--seconds={round(seconds * 1000)}ms", *options])
    run, cpu = result["run"], result["cpu"]
    return {
        "images_per_second": run["images_per_second"],
        "mb_per_second": run["read_bytes_per_second"] / 1e6,
        "cpu_s_per_gb": cpu["seconds_per_gb_read"],
        "cpu_s_per_1000_images": cpu["seconds_per_1000_images"],
    }, result


def play(contestants, rounds):
    """contestants: {name: function() -> {measure: number}}. Returns {name: {measure: [a value a round]}}."""
    names = list(contestants)
    values = {name: {} for name in names}
    for number in range(rounds):
        shift = number % len(names)
        for name in names[shift:] + names[:shift]:
            for measure, value in contestants[name]().items():
                values[name].setdefault(measure, []).append(value)
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
    return values


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values), "values": values}


def ratio(values, a, b, measure):
    """a : b, round by round."""
    return spread([x / y for x, y in zip(values[a][measure], values[b][measure]) if y])


def show(s, digits):
    return f"{s['median']:.{digits}f} ({s['min']:.{digits}f}–{s['max']:.{digits}f})"


def command_output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=HERE).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def environment(result, args):
    """What goes with every figure: no host name, no path."""
    return {
        **({"note": args.note} if args.note else {}),
        "date": datetime.date.today().isoformat(),
        "commit": command_output("git", "describe", "--always", "--dirty"),
        **{k: v for k, v in result["environment"].items() if k != "usable_cpus"},
    }


def describe(env):
    parts = [
        f"{env['date']}, commit {env['commit']}",
        f"{env['cpu']}, {env['cpus']} CPUs, {env['memory_bytes'] / 1e9:.0f} GB, {env['kernel']}",
        env["libraries"],
    ]
    if env.get("device"):
        parts.append(f"data on {env['device']}")
    if env.get("note"):
        parts.append(env["note"])
    return "\n".join("- " + p for p in parts)


def finish(out, report, text):
    print(text)
    if not out:
        return
    os.makedirs(os.path.dirname(os.path.abspath(out)), exist_ok=True)
    clean = json.dumps(report, indent=1, ensure_ascii=False)
    # Lists of numbers on one line each.
    clean = re.sub(r"\[\s+([-\d., eE+\s]+?)\s+\]", lambda m: "[" + re.sub(r"\s+", " ", m.group(1)) + "]", clean)
    with open(out + ".json", "w", encoding="utf-8") as file:
        file.write(clean + "\n")
    with open(out + ".md", "w", encoding="utf-8") as file:
        file.write(text + "\n")
