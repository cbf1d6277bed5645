#!/usr/bin/env python3
"""Runs every schedule family and planner of Stagecraft on two processes, and prints what was predicted and measured.

    python3 predicted_and_measured.py --out runs          # or ./dev run-plan --table

GPipe runs with four microbatches, and its run alone is calibrated on (`stagecraft compare-run --calibrate`). With the times
of that run a plan is made, with eight microbatches, and then it runs; nothing of it is known before. After every second
iteration of it is one of GPipe. By how much longer the one directly beside an iteration took than is predicted of it is by
how much longer that is predicted to take: a machine that changes its speed is no error of a prediction. The error of a plan is
the median of its iterations' errors. The next plan is made with GPipe's times.
Nothing else should run on the machine meanwhile.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import run_plan

PROBLEM = HERE / "two-processes.stagecraft.json"
MICROBATCHES, CALIBRATED_ON = 8, 4
TIME_SCALE = 1.5  # of the sample's times: what a message takes besides is small beside passes of 15 to 30 ms
WITHIN = 0.05  # an error that is small
QUIET = 0.03  # of the time: what gloo's threads have the cores for stays below it
PLANNERS = ["spp", "data-parallel", "gpipe", "pipedream", "dapple", "hetpipe", "vpipe"]
WITHOUT_BARRIER = ["pipedream", "xpipe", "vpipe", "madpipe"]
CAUSES = {"compute": "passes", "transfer": "transfers", "gap": "gaps between passes", "order": "another order",
          "wait": "waits that only the plan has", "start": "before the first pass", "end": "after the last pass"}


def stagecraft(*arguments):
    done = subprocess.run([run_plan.program(), *map(str, arguments)], text=True, capture_output=True)
    if done.returncode != 0:
        raise run_plan.Refused(f"stagecraft {' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return done.stdout


def work(rank, port, count, orders, answers, arguments):
    run_plan.run_process(rank, port, count, iter(orders[rank].get, None), arguments, answers.put)


class Runner:
    """Processes that run one plan after another."""

    def __init__(self, count, iterations):
        self.arguments = run_plan.arguments_of(
            [str(PROBLEM), "--profile", str(PROBLEM), "--iterations", str(iterations), "--time-scale", str(TIME_SCALE)])
        method = "spawn" if run_plan.torch.cuda.is_available() else "fork"
        context = run_plan.processes.get_context(method)
        self.orders = [context.SimpleQueue() for _ in range(count)]
        self.answers = context.SimpleQueue()
        self.started = run_plan.processes.start_processes(
            work, (run_plan.free_port(), count, self.orders, self.answers, self.arguments), nprocs=count, join=False,
            start_method=method)

    def run(self, plan, folder, beside=None):
        """What was measured of it and of the plan beside it, and the share of time in which the host gave the cores to
        others."""
        job = run_plan.job_of(plan, None, self.arguments, folder)
        job.out = folder / (plan.name.split(".")[0] + ".passes.csv")
        if beside:
            job.beside = run_plan.job_of(beside, None, self.arguments, folder)
            job.beside.out = job.out.with_suffix(".beside.csv")
        before = cpu_times()
        for each in self.orders:
            each.put(job)
        while self.answers.empty():
            self.started.join(timeout=0.2)
        measured = self.answers.get()
        spent = [after - own for own, after in zip(before, cpu_times())]
        for each in measured:
            each["stolen"] = spent[STEAL] / max(1, sum(spent))
        return measured

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        for order, process in zip(self.orders, self.started.processes):
            if kind:
                process.terminate()
            order.put(None)
        while not kind and not self.started.join():
            pass


STEAL = 7  # of the columns of /proc/stat


def cpu_times():
    try:
        return [int(word) for word in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    except OSError:
        return [0] * 8


@dataclass
class Row:
    title: str
    planned_s: float
    speeds: list  # by iteration: what GPipe took beside it, of what is predicted of GPipe
    measured: dict
    slower: float  # a product within its passes, than within those of the run beside it
    scale: float  # iterations of the setup, of what was measured
    match: dict  # of compare-run

    @property
    def drift(self):
        return statistics.median(self.speeds)

    @property
    def predicted_s(self):
        return self.planned_s * self.drift

    @property
    def measured_s(self):
        return self.measured["median_s"] * self.scale

    @property
    def error(self):
        """The median of its iterations'."""
        return statistics.median(self.planned_s * speed / (taken_s * self.scale)
                                 for speed, taken_s in zip(self.speeds, self.measured["iterations_s"])) - 1

    @property
    def error_at_speed(self):
        """Of the prediction with products as long as they were in this run."""
        return (1 + self.error) * self.slower - 1

    def quartiles(self):
        low, high = (self.measured[each] * self.scale * 1e3 for each in ("first_quartile_s", "third_quartile_s"))
        return f"{low:.1f} to {high:.1f} ms"

    def most(self):
        """The cause that has most of the difference of the iterations' mean. What the machine's speed adds to the plan is no
        longer pass."""
        if self.match["unplanned"]:
            return "pairs run one after the other"
        causes = dict(self.match["causes"])
        causes["compute"] -= self.match["planned_s"] * (self.drift - 1)
        cause = max(causes, key=lambda each: abs(causes[each]))
        return f"{CAUSES[cause]} {signed_ms(causes[cause])}"


def signed_ms(seconds):
    return f"{seconds * 1e3:+.1f} ms"


def all_plans():
    """What to ask of `stagecraft plan`, by what it is called in the table."""
    families = [family["id"] for family in json.loads(stagecraft("schedules", "--json"))["schedules"]]
    return ([(f"`{each}`", ["--schedule", each]) for each in families] +
            [(each, ["--planner", each]) for each in PLANNERS] +
            [(f"{each}, no barrier", ["--planner", each, "--mode", "asynchronous"]) for each in WITHOUT_BARRIER] +
            [("schedule search", ["--planner", "schedule"])])


def planned(project, folder, options):
    """A plan in a file of its own, and what it is predicted to take."""
    name = "-".join(each for each in options if not each.startswith("--"))
    path = folder / f"{name}.plan.json"
    answer = json.loads(stagecraft("plan", project, "--microbatches", MICROBATCHES, *options, "--json", "--out", path))
    result = answer["results"][0]
    if result["status"] != "ok":
        raise run_plan.Refused(f"{name}: {result.get('reason')}")
    return path, result["iteration_time_s"]


def mini_batches_of(path):
    """In an iteration of the setup."""
    plan = json.loads(path.read_text())
    own = (plan.get("mini_batch") or {}).get("microbatches") or MICROBATCHES
    return MICROBATCHES / own


def row_of(title, options, first, before, runner, folder):
    """And what was measured of the first plan beside it. @param before what was measured of the first plan directly before"""
    project = folder / "calibrated.stagecraft.json"
    fitted = json.loads(stagecraft("compare-run", first, before["recording"], "--calibrate", project, "--json"))["calibration"]
    path, planned_s = planned(project, folder, options)
    measured, beside = runner.run(path, folder, first)
    # Each iteration of the plan beside it has two of its own, one directly before and one directly after it.
    speeds = [beside["iterations_s"][number // 2] / fitted["after_s"] for number in range(len(measured["iterations_s"]))]
    match = json.loads(stagecraft("compare-run", path, measured["recording"], "--json"))["match"]
    slower = measured["product_in_passes_s"] / beside["product_in_passes_s"]
    scale = mini_batches_of(path) if measured["overlapping_mini_batches"] else 1
    return Row(title, planned_s, speeds, measured, slower, scale, match), beside


def table_of(rows):
    lines = ["| plan | predicted | measured | quartiles | error | the same product took | error but for that | most of the difference |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for row in rows:
        lines.append(f"| {row.title} | {row.predicted_s * 1e3:.1f} ms | {row.measured_s * 1e3:.1f} ms | {row.quartiles()} | "
                     f"{row.error * 100:+.1f} % | {(row.slower - 1) * 100:+.1f} % | {row.error_at_speed * 100:+.1f} % | {row.most()} |")
    return "\n".join(lines)


def errors_text(errors):
    sizes = sorted(map(abs, errors))
    return (f"{statistics.median(sizes) * 100:.1f} %, the largest {sizes[-1] * 100:.1f} %, and {sum(each <= WITHIN for each in sizes)} of "
            f"{len(sizes)} are within {WITHIN * 100:.0f} %")


def summary_of(rows):
    waiting = statistics.mean(row.measured["kept_waiting"] for row in rows)
    stolen = statistics.mean(row.measured["stolen"] for row in rows)
    spread = statistics.median((row.measured["third_quartile_s"] - row.measured["first_quartile_s"]) / row.measured["median_s"]
                               for row in rows)
    return (f"The median error is {errors_text([row.error for row in rows])}. With products as long as they were in the run that is judged it is "
            f"{errors_text([row.error_at_speed for row in rows])}. Quartiles of the iterations of a run are {spread * 100:.1f} % apart on the median; the host "
            f"took the cores away for {stolen * 100:.1f} % of the time, and other threads had them for {waiting * 100:.1f} %"
            f"{': other programs ran meanwhile' if waiting > QUIET else ''}.")


def write_into(page, rows, iterations):
    """In place of the table and the sentences of the last time."""
    text = page.read_text()
    text, tables = re.subn(r"^\| plan \| predicted \|.*\n(\|.*\n)+", lambda _: table_of(rows) + "\n", text, flags=re.M)
    text, sentences = re.subn(r"^The median error is .*$", lambda _: summary_of(rows), text, flags=re.M)
    text, days = re.subn(r"^What it printed on .*$", f"What it printed on a virtual machine of {os.cpu_count()} cores, on "
                         f"{time.strftime('%-d %B %Y')}, of {iterations} iterations each:", text, flags=re.M)
    if tables != 1 or sentences != 1 or days != 1:
        raise run_plan.Refused(f"{page}: expected one table of plans, one line 'What it printed on …' and one 'The median error is …'")
    page.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("runs"), help="a folder of plans and recordings")
    parser.add_argument("--iterations", type=int, default=20, help="of each run")
    parser.add_argument("--only", metavar="NAME", action="append", default=[], help="a family or planner; may come several times")
    parser.add_argument("--page", type=pathlib.Path, help="a page of help into which table and errors are written")
    arguments = parser.parse_args()
    folder = arguments.out
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    try:
        first = folder / "calibration.plan.json"
        stagecraft("plan", PROBLEM, "--schedule", "gpipe", "--microbatches", CALIBRATED_ON, "--out", first)
        asked = [each for each in all_plans() if not arguments.only or each[1][1] in arguments.only]
        with Runner(2, arguments.iterations) as runner:
            before = runner.run(first, folder)[0]
            for number, (title, options) in enumerate(asked):
                row, before = row_of(title, options, first, before, runner, folder)
                rows.append(row)
                run_plan.say(f"{number + 1} of {len(asked)}: {title} {rows[-1].error * 100:+.1f} %, "
                             f"a product {(rows[-1].slower - 1) * 100:+.1f} %, {rows[-1].most()}")
        text = f"{table_of(rows)}\n\n{summary_of(rows)}\n"
        (folder / "table.md").write_text(text)
        if arguments.page:
            write_into(arguments.page, rows, arguments.iterations)
    except run_plan.Refused as error:
        sys.exit(f"predicted_and_measured: {error}")
    print(f"\nA product takes {rows[0].measured['product_s'] * 1e3:.4g} ms.\n\n{text}")


if __name__ == "__main__":
    main()
