#!/usr/bin/env python3
"""Runs every schedule family and planner of Stagecraft on two processes, and prints what was predicted and measured.

    python3 predicted_and_measured.py --out runs          # or ./dev run-plan --table

One run is calibrated on: GPipe with four microbatches (`stagecraft compare-run --calibrate`). All others are planned on
the times of that run, with eight microbatches, and then run; nothing of them is known before. Nothing else should run on
the machine meanwhile.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import run_plan

PROBLEM = HERE / "two-processes.stagecraft.json"
MICROBATCHES, CALIBRATED_ON = 8, 4
PLANNERS = ["spp", "data-parallel", "gpipe", "pipedream", "dapple", "hetpipe", "vpipe"]
WITHOUT_BARRIER = ["pipedream", "xpipe", "vpipe", "madpipe"]


def stagecraft(*arguments):
    done = subprocess.run([run_plan.program(), *map(str, arguments)], text=True, capture_output=True)
    if done.returncode != 0:
        raise run_plan.Refused(f"stagecraft {' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return done.stdout


def run(plans, out, iterations, product_s):
    """The medians of all, in the order of the plans, and what a product takes."""
    command = [sys.executable, HERE / "run_plan.py", *plans, "--profile", PROBLEM, "--iterations", iterations, "--json",
               "--out", out] + (["--product-s", product_s] if product_s else [])
    done = subprocess.run(list(map(str, command)), text=True, stdout=subprocess.PIPE)
    if done.returncode != 0:
        raise run_plan.Refused("run_plan.py failed")
    return [json.loads(line) for line in done.stdout.splitlines()]


def planned(project, folder, options):
    """A plan in a file of its own, and what it is predicted to take."""
    name = "-".join(each for each in options if not each.startswith("--"))
    path = folder / f"{name}.plan.json"
    answer = json.loads(stagecraft("plan", project, "--microbatches", MICROBATCHES, *options, "--json", "--out", path))
    result = answer["results"][0]
    if result["status"] != "ok":
        raise run_plan.Refused(f"{name}: {result.get('reason')}")
    return path, result["iteration_time_s"]


def all_plans(project, folder):
    families = [family["id"] for family in json.loads(stagecraft("schedules", "--json"))["schedules"]]
    asked = [(f"`{each}`", ["--schedule", each]) for each in families]
    asked += [(each, ["--planner", each]) for each in PLANNERS]
    asked += [(f"{each}, no barrier", ["--planner", each, "--mode", "asynchronous"]) for each in WITHOUT_BARRIER]
    asked += [("schedule search", ["--planner", "schedule"])]
    return [(title, *planned(project, folder, options)) for title, options in asked]


def mini_batches_of(path):
    """In an iteration of the setup."""
    plan = json.loads(path.read_text())
    own = (plan.get("mini_batch") or {}).get("microbatches") or MICROBATCHES
    return MICROBATCHES / own


def print_table(rows, product_s):
    print(f"\nA product takes {product_s * 1e3:.4g} ms.\n")
    print("| plan | predicted | measured | quartiles | error |\n| --- | --- | --- | --- | --- |")
    for title, predicted_s, measured, scale in rows:
        measured_s = measured["median_s"] * scale
        print(f"| {title} | {predicted_s * 1e3:.1f} ms | {measured_s * 1e3:.1f} ms | "
              f"{measured['first_quartile_s'] * scale * 1e3:.1f} to {measured['third_quartile_s'] * scale * 1e3:.1f} ms | "
              f"{(predicted_s / measured_s - 1) * 100:+.1f} % |")
    errors = sorted(abs(predicted_s / (measured["median_s"] * scale) - 1) for _, predicted_s, measured, scale in rows)
    within = sum(error <= 0.05 for error in errors)
    print(f"\nOf {len(errors)} the median error is {statistics.median(errors) * 100:.1f} %, the worst {errors[-1] * 100:.1f} %; "
          f"{within} are within 5 %.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("runs"), help="a folder of plans and recordings")
    parser.add_argument("--iterations", type=int, default=20, help="of each run")
    arguments = parser.parse_args()
    folder = arguments.out
    folder.mkdir(parents=True, exist_ok=True)
    try:
        first, project = folder / "calibration.plan.json", folder / "calibrated.stagecraft.json"
        stagecraft("plan", PROBLEM, "--schedule", "gpipe", "--microbatches", CALIBRATED_ON, "--out", first)
        recording = folder / "calibration.passes.csv"
        product_s = run([first], recording, arguments.iterations, None)[0]["product_s"]
        print(stagecraft("compare-run", first, recording, "--calibrate", project))
        plans = all_plans(project, folder)
        measured = run([path for _, path, _ in plans], folder, arguments.iterations, product_s)
    except run_plan.Refused as error:
        sys.exit(f"predicted_and_measured: {error}")
    rows = [(title, predicted_s, own, mini_batches_of(path) if own["overlapping_mini_batches"] else 1)
            for (title, path, predicted_s), own in zip(plans, measured)]
    print_table(rows, product_s)


if __name__ == "__main__":
    main()
