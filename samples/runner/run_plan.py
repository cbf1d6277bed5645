#!/usr/bin/env python3
"""Runs a plan of Stagecraft for real, a process per device, and records what ran when.

    python3 run_plan.py two-processes.stagecraft.json --plan 1F1B --iterations 20 --out passes.csv
    stagecraft compare-run two-processes.stagecraft.json --plan 1F1B passes.csv

What each device does in which order is the table that `stagecraft export PLAN --format csv` writes; --table takes one that
was written elsewhere. An order of torch.distributed.pipelining (a CSV) runs too, with --profile. A pass is as many matrix
products as the profile's times ask for, a transfer and an AllReduce have the bytes of the profile. They go through gloo
between processes on the CPU, through NCCL where each process has a GPU of its own. Under torchrun the processes are those
that it starts, on several machines too.
"""

import argparse
import csv
import gc
import heapq
import json
import math
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from datetime import timedelta

# A process is a device: it computes on one core.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
import torch.distributed as dist
import torch.multiprocessing as processes

# Kinds of blocks, by what is done for them; those that are not here are swaps, which a CPU has no memory for.
PASSES = {"forward": "F", "backward": "B", "input gradient": "I", "weight gradient": "W", "recompute": "R",
          "output forward": "S", "output backward": "T", "embedding forward": "N", "embedding backward": "G"}
PAIR = "overlapped pair"
TRANSFERS = ("transfer forward", "transfer backward")
SUMS = ("AllReduce", "ReduceScatter", "AllGather")
VOCABULARY_SUMS = ("output broadcast", "softmax AllReduce", "output AllReduce", "embedding AllReduce",
                   "embedding broadcast")
UPDATE = "update"
STAMP = 4  # elements at the end of a message that say when it was sent (two of them), of which block and iteration it is
WAITING_ROWS = 16  # of the products that a process multiplies while it waits
WARM_UP = 2  # iterations that are not recorded


class Refused(Exception):
    """The plan or its files cannot be run; the message says why."""


@dataclass
class Block:
    """What some devices do at once: one or several rows of the table."""
    number: int
    kind: str
    stage: int
    microbatch: int
    iteration: int
    slice: int
    devices: list
    start_s: float
    end_s: float
    pair: tuple = None  # stage and microbatch of the backward
    holds_devices: bool = True  # nothing else runs on them meanwhile
    needs: set = field(default_factory=set)
    senders: list = field(default_factory=list)
    receivers: list = field(default_factory=list)


# --- what the plan says -------------------------------------------------------------------------------------------------


def read_json(path):
    try:
        return json.loads(pathlib.Path(path).read_text())
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}; expected a file") from None
    except ValueError as error:
        raise Refused(f"{path}: {error}; expected JSON") from None


def included(part, path):
    """A part of a project, which may be in a file of its own."""
    return read_json(pathlib.Path(path).parent / part["file"]) if isinstance(part, dict) and "file" in part else part


def plan_of(path, name):
    """The plan, its profile and its cluster, of a file with one plan or of a project."""
    document = read_json(path)
    problem = document.get("problem", document)
    if "stages" in document:
        plan = document
    else:
        plans = document.get("plans", [])
        names = [each.get("name") or each.get("planner", "") for each in plans]
        if not plans:
            raise Refused(f"{path}: it has no plan; expected one, as `stagecraft plan … --out` writes it")
        if name is None and len(plans) > 1:
            raise Refused(f"{path}: it has several plans; expected --plan and one of {', '.join(names)}")
        if name is not None and name not in names:
            raise Refused(f"{path}: it has no plan '{name}'; expected one of {', '.join(names)}")
        plan = plans[names.index(name) if name is not None else 0]
    return plan, included(problem["profile"], path), included(problem["cluster"], path)


def program():
    """Stagecraft: $STAGECRAFT, that of this checkout, or the one on the path."""
    built = pathlib.Path(__file__).resolve().parents[2] / "build/release/stagecraft"
    found = os.environ.get("STAGECRAFT") or (str(built) if built.exists() else shutil.which("stagecraft"))
    if not found:
        raise Refused("stagecraft is not on the path; expected it there, in $STAGECRAFT, or a --table that it wrote")
    return found


def call(*arguments):
    done = subprocess.run([program(), *arguments], text=True, capture_output=True)
    if done.returncode != 0:
        raise Refused(done.stderr.strip() or f"stagecraft {arguments[0]} failed")


def plan_of_order(order, profile, folder):
    """A plan of an order of torch.distributed.pipelining: its ranks on as many equal devices."""
    rows = [row for row in pathlib.Path(order).read_text().splitlines() if row.strip()]
    devices = [{"id": f"rank{rank}", "server": "here", "gpu": "process", "memory_bytes": 1 << 36}
               for rank in range(len(rows))]
    links = [{"a": device["id"], "b": "memory", "bandwidth_Bps": 2e9, "latency_s": 0, "kind": "other"}
             for device in devices]
    (folder / "ranks.cluster.json").write_text(json.dumps(
        {"format": "stagecraft/cluster", "version": 1, "name": f"{len(rows)} ranks", "devices": devices,
         "switches": [{"id": "memory", "server": "here"}], "links": links}))
    numbers = [int(found) for found in re.findall(r"\d+[A-Z_]+(\d+)", "\n".join(rows))]
    if not numbers:
        raise Refused(f"{order}: it has no pass; expected an order of torch.distributed.pipelining, such as 0F0,0B0")
    microbatches = 1 + max(numbers)
    plan = folder / "order.plan.json"
    call("import", str(order), "--profile", str(profile), "--cluster", str(folder / "ranks.cluster.json"),
         "--microbatches", str(microbatches), "--out", str(plan))
    return plan


# --- the table of blocks ------------------------------------------------------------------------------------------------


def devices_in(text, device_numbers):
    """Ids are separated by a space, which an id may have in itself."""
    devices, words = [], text.split(" ")
    while words:
        for count in range(len(words), 0, -1):
            if " ".join(words[:count]) in device_numbers:
                break
        else:
            raise Refused(f"the table has a device '{words[0]}'; expected one of the plan's cluster")
        devices.append(device_numbers[" ".join(words[:count])])
        del words[:count]
    return devices


def read_table(path, device_numbers):
    """The blocks of a table, in an order in which none comes before what it needs."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows or "depends_on" not in rows[0]:
        raise Refused(f"{path}: it is no table of blocks; expected what `stagecraft export PLAN --format csv` writes")
    blocks, block_of, merged = [], {}, {}
    for row in rows:
        kind = row["kind"]
        microbatch = int(row["microbatch"]) if row["microbatch"] else -1
        iteration = int(row["iteration"])
        holds = row["lane_kind"] == "compute"
        # What all devices send each other at once is a row on each of their lanes.
        key = (kind, microbatch, iteration) if holds and kind in VOCABULARY_SUMS else row["row"]
        if key not in merged:
            merged[key] = block = Block(len(blocks), kind, int(row["stage"]), microbatch, iteration,
                                        int(row.get("slice") or 0), [], float(row["start_s"]), float(row["end_s"]),
                                        holds_devices=holds)
            if kind == PAIR:
                block.pair = (int(row["backward_stage"]), int(row["backward_microbatch"]))
            blocks.append(block)
        block_of[row["row"]] = merged[key]
        merged[key].devices += [each for each in devices_in(row["devices"], device_numbers)
                                if each not in merged[key].devices]
    for row in rows:
        block = block_of[row["row"]]
        block.needs |= {block_of[need].number for need in row["depends_on"].split()} - {block.number}
    add_ends(blocks)
    return in_order(blocks, [block_of[row["row"]].number for row in rows], [row["lane"] for row in rows])


def add_ends(blocks):
    """Who sends and who receives. Where a pass waits for one elsewhere and nothing is sent, a message says so."""
    for block in list(blocks):
        for need in sorted(block.needs):
            source = blocks[need]
            if source.kind in TRANSFERS:
                source.receivers += [each for each in block.devices if each not in source.receivers]
            elif source.holds_devices and block.holds_devices and not set(block.devices) <= set(source.devices):
                signal = Block(len(blocks), "signal", source.stage, source.microbatch, source.iteration, source.slice, [],
                               source.end_s, source.end_s, holds_devices=False, needs={need},
                               senders=list(source.devices), receivers=list(block.devices))
                blocks.append(signal)
                block.needs.add(signal.number)
    for block in blocks:
        if block.kind in TRANSFERS:
            passes = [blocks[need] for need in sorted(block.needs) if blocks[need].holds_devices]
            block.senders = list(passes[0].devices) if passes else []
            block.devices = block.senders


def turn_of(block, blocks):
    """When its turn is. What is sent goes as soon as it is computed, and before the pass that begins then: the plan may have
    it later, where the channel is busy."""
    start_s = block.start_s
    if block.kind in TRANSFERS or block.kind == "signal":
        start_s = max((blocks[need].end_s for need in block.needs), default=start_s)
    return start_s, block.holds_devices, block.number


def in_order(blocks, numbers, lanes):
    """By start. A device that keeps to it only ever waits for blocks before the one that it is at."""
    after = [[] for _ in blocks]
    waits = [set(block.needs) for block in blocks]
    last = {}
    for number, lane in zip(numbers, lanes):
        if last.get(lane, number) != number and blocks[number].holds_devices:
            waits[number].add(last[lane])
        last[lane] = number
    for number, needed in enumerate(waits):
        for need in needed:
            after[need].append(number)
    left = [len(needed) for needed in waits]
    ready = [turn_of(block, blocks) for block in blocks if left[block.number] == 0]
    heapq.heapify(ready)
    order = []
    while ready:
        number = heapq.heappop(ready)[-1]
        order.append(number)
        for other in after[number]:
            left[other] -= 1
            if left[other] == 0:
                heapq.heappush(ready, turn_of(blocks[other], blocks))
    if len(order) < len(blocks):
        raise Refused("the blocks of the table wait for each other; expected an order that the validator accepts")
    return blocks, order


def order_of_device(blocks, order, device):
    """What it does, in turn. It adds to a sum as soon as its own part is computed, whenever those of the others are; all add to
    the sums in one order, that in which they begin."""
    mine = [blocks[number] for number in order if device in blocks[number].devices or device in blocks[number].senders]
    place = {block.number: index for index, block in enumerate(mine)}
    latest, turns = -1, []
    for index, block in enumerate(mine):
        is_sum = block.kind in SUMS + VOCABULARY_SUMS
        early = is_sum and not block.holds_devices
        if is_sum:
            latest = max([latest, *(place[need] for need in block.needs if need in place)]) if early else index
        turns.append((latest if early else index, early, index))
    return [mine[index] for *_, index in sorted(turns)]


# --- how much there is to do --------------------------------------------------------------------------------------------


class Work:
    """Products of each pass and bytes of each message, by the profile."""

    def __init__(self, job, product_s, byte_scale):
        profile, plan = job.profile, job.plan
        self.layers, self.stages, self.product_s, self.byte_scale = profile["layers"], plan["stages"], product_s, byte_scale
        self.size = (plan.get("mini_batch") or {}).get("microbatch_size") or profile["microbatch_size"]
        self.share = self.size / profile["microbatch_size"]
        self.edges = profile.get("edges") or [[i, i + 1] for i in range(len(self.layers) - 1)]
        policies = (plan.get("memory") or {}).get("layers") or {}
        self.recomputed = {int(layer) for layer, policy in policies.items() if policy == "recompute"}
        self.slices = 1 + max(block.slice for block in job.blocks)
        self.devices = len(job.used)
        kinds = {block.kind for block in job.blocks}
        self.one_barrier = "output forward" in kinds and "output AllReduce" not in kinds
        shared_words = {"head": "output forward", "embedding": "embedding forward"}
        self.shared = {index: layer["vocabulary"] for index, layer in enumerate(self.layers)
                       if shared_words.get(layer.get("vocabulary")) in kinds}
        self.held = {}
        for stage in self.stages:
            for device in stage["device_numbers"]:
                self.held.setdefault(device, set()).update(range(stage["layers"][0], stage["layers"][1] + 1))

    def layers_of(self, stage):
        first, last = self.stages[stage]["layers"]
        return [index for index in range(first, last + 1) if index not in self.shared]

    def seconds(self, index, letter):
        layer = self.layers[index]
        backward = layer["backward_s"]
        weights = layer.get("weight_gradient_s", backward / 2)
        return {"F": layer["forward_s"], "R": layer["forward_s"], "B": backward, "I": backward - weights, "W": weights}[letter]

    def until(self, letter, end):
        """The products of all layers before one: what is rounded off does not add up."""
        return round(sum(self.seconds(index, letter) for index in range(end)) * self.share / self.product_s)

    def products(self, letter, stage):
        """Of a whole microbatch. A layer has as many wherever the stages are cut."""
        if letter in "STNG":
            word = "head" if letter in "ST" else "embedding"
            forward, backward = (sum(self.seconds(index, each) for index, its in self.shared.items() if its == word)
                                 for each in "FB")
            # With one barrier S has the product for the input's gradient too (Yeung et al., Alg. 2).
            half = backward / 2 if self.one_barrier else 0
            seconds = {"S": forward + half, "T": backward - half, "N": forward, "G": backward}[letter]
            return round(seconds / self.devices * self.share / self.product_s)
        layers = self.layers_of(stage)
        if letter == "R":
            layers = [index for index in layers if index in self.recomputed]
        return sum(self.until(letter, index + 1) - self.until(letter, index) for index in layers)

    def cut_bytes(self, layer, field_name):
        """What goes over the boundary after a layer."""
        crossing = {source for source, target in self.edges if source <= layer < target}
        each = (self.layers[index].get(field_name, self.layers[index]["output_bytes"]) for index in crossing)
        return sum(each) * self.share * self.byte_scale / self.slices

    def transfer_bytes(self, block):
        first, last = self.stages[block.stage]["layers"]
        if block.kind == "signal":
            return 0
        if block.kind == "transfer forward":
            return self.cut_bytes(last, "output_bytes")
        return self.cut_bytes(first - 1, "output_gradient_bytes")

    def sum_bytes(self, block):
        """Of the gradients that a sum has, or of what devices that share the vocabulary send each other."""
        if block.kind in SUMS:
            common = set.intersection(*(self.held[device] for device in block.devices))
            return self.parameter_bytes(block.stage, common)
        copies = len(self.stages[0]["device_numbers"])
        if block.kind == "softmax AllReduce":
            summed = self.cut_bytes(max(self.shared) - 1, "output_bytes") if self.one_barrier else 0
            return (8 * self.size + summed) / copies
        layer = 0 if block.kind.startswith("embedding") else len(self.layers) - 2
        return self.cut_bytes(layer, "output_bytes") / copies

    def parameter_bytes(self, stage, among=None):
        """Of its layers, or those of them that are among some, and of its share of words that all stages share out."""
        layers = [index for index in self.layers_of(stage) if among is None or index in among]
        words = sum(self.layers[index]["parameter_bytes"] for index in self.shared) / len(self.stages)
        return (sum(self.layers[index]["parameter_bytes"] for index in layers) + words) * self.byte_scale

    def summing_up(self, block):
        """Sets of devices that sum up at once: those of each copy of the network, where it shares words out."""
        if block.kind in SUMS:
            return [tuple(sorted(block.devices))]
        return [tuple(sorted(copy)) for copy in zip(*(stage["device_numbers"] for stage in self.stages))]


def elements(size_bytes):
    """Floats; an even number, so that the time of the stamp, which is as long as two, can be read in place."""
    return max(STAMP, 2 * math.ceil(size_bytes / 8))


def pieces(block, size_bytes):
    """Sender, receiver and elements of each part: replicas that split a microbatch have equal shares of it."""
    for i, sender in enumerate(block.senders):
        for j, receiver in enumerate(block.receivers):
            begin = max(i / len(block.senders), j / len(block.receivers))
            end = min((i + 1) / len(block.senders), (j + 1) / len(block.receivers))
            if sender != receiver and end - begin > 1e-9:
                yield sender, receiver, elements(size_bytes * (end - begin))


# --- a process ----------------------------------------------------------------------------------------------------------


class Process:
    """Runs the blocks of one device."""

    def __init__(self, rank, job, control, product_s, owns_core, arguments):
        self.owns_core = owns_core
        self.rank, self.used, self.blocks, self.control, self.arguments = rank, job.used, job.blocks, control, arguments
        self.rank_of = {device: index for index, device in enumerate(job.used)}
        self.work = Work(job, (product_s or 1) / arguments.time_scale, arguments.byte_scale)
        self.make_groups()
        if rank >= len(job.used):
            return
        self.device_number = own = job.used[rank]
        self.place = torch.device("cuda", rank % torch.cuda.device_count()) if on_gpus(len(job.used)) else torch.device("cpu")
        self.mine = order_of_device(job.blocks, job.order, own)
        self.make_tensors(job.order)
        self.rows = []

    def make_groups(self):
        """Every process makes all of them, in one order. NCCL keeps messages of a group in order: each pair of devices and
        direction has its own, so that none waits for one of another way."""
        sets = sorted({devices for block in self.blocks if block.kind in SUMS + VOCABULARY_SUMS
                       for devices in self.work.summing_up(block) if len(devices) > 1})
        self.groups = {devices: dist.new_group([self.rank_of[each] for each in devices]) for devices in sets}
        self.ways = {}
        if on_gpus(len(self.used)):
            pairs = sorted({(a, b) for block in self.blocks for a in block.senders for b in block.receivers if a != b})
            self.ways = {pair: dist.new_group([self.rank_of[each] for each in pair]) for pair in pairs}

    def make_tensors(self, order):
        rows, size = self.arguments.rows, self.arguments.size
        self.input = torch.randn(rows, size, device=self.place) / size
        self.factor = torch.randn(size, size, device=self.place) / size
        self.output = torch.empty(rows, size, device=self.place)
        self.sent, self.received, self.summed, self.updated = {}, {}, {}, {}
        for number in order:
            block = self.blocks[number]
            if block.kind in TRANSFERS or block.kind == "signal":
                size_bytes = self.work.transfer_bytes(block)
                for sender, receiver, count in pieces(block, size_bytes):
                    if sender == self.device_number:
                        self.sent.setdefault(number, []).append((receiver, torch.zeros(count, device=self.place)))
                    if receiver == self.device_number:
                        self.received.setdefault(number, []).append((sender, torch.zeros(count, device=self.place)))
            elif self.device_number not in block.devices:
                continue
            elif block.kind in SUMS + VOCABULARY_SUMS:
                devices = next(each for each in self.work.summing_up(block) if self.device_number in each)
                if len(devices) > 1:
                    summed = torch.zeros(elements(self.work.sum_bytes(block)), device=self.place)
                    self.summed[number] = (self.groups[devices], summed)
            elif block.kind == UPDATE and block.stage not in self.updated:
                count = elements(self.work.parameter_bytes(block.stage))
                self.updated[block.stage] = (torch.zeros(count, device=self.place), torch.ones(count, device=self.place))

    def multiply(self, count):
        """So many products, the last one of fewer rows where they are no whole number: smaller ones take longer for what
        they do."""
        rows = self.arguments.rows
        left = round(count * rows)
        while left > 0:
            own = min(left, rows)
            torch.mm(self.input[:own], self.factor, out=self.output[:own])
            left -= own
            if self.owns_core:
                give_way()
        self.finish_kernels()

    def multiply_until(self, arrived):
        """A process that waits multiplies on: the others find the machine as busy as ever (cores may be two threads of
        one, and clocks follow the load), and none has to be woken."""
        give_up_s = time.perf_counter() + self.arguments.timeout_s
        while not arrived() and time.perf_counter() < give_up_s:
            torch.mm(self.input[:WAITING_ROWS], self.factor, out=self.output[:WAITING_ROWS])
            give_way()

    def finish_kernels(self):
        if self.place.type == "cuda":
            torch.cuda.synchronize(self.place)

    def receive_all(self):
        """A receive is posted before anything is sent: no sender waits for a receiver that is busy."""
        self.arriving = {
            number: [(dist.irecv(tensor, self.rank_of[sender], group=self.ways.get((sender, self.device_number)), tag=number),
                      tensor, sender) for sender, tensor in parts]
            for number, parts in self.received.items()}

    def wait_for(self, block):
        for need in sorted(block.needs):
            parts = self.arriving.pop(need, ())
            for arrival, tensor, sender in parts:
                waited, arrived_s = self.wait_for_message(arrival, tensor)
                stamp = tensor[-2:].tolist()
                if stamp != [float(need), float(self.iteration)]:
                    raise RuntimeError(f"block {block.number} got {stamp} and needs {need} of {self.iteration}")
                if waited and len(parts) == 1:
                    self.record_transfer(self.blocks[need], sender, tensor, arrived_s)
            if need in self.summing:
                self.wait_for_sum(self.summing[need])

    def wait_for_message(self, arrival, tensor):
        """Whether it came while this process waited for it, and when."""
        waited = False
        if self.place.type == "cpu":
            # gloo writes into the tensor, its last element last.
            last, awaited = tensor.numpy()[-1:], float(self.iteration)
            waited = last[0] != awaited
            if self.owns_core:
                self.multiply_until(lambda: last[0] == awaited)
        seen_s = time.perf_counter()
        arrival.wait()
        arrived_s = seen_s if self.owns_core else time.perf_counter()
        return waited, arrived_s

    def wait_for_sum(self, sum_of_all):
        if self.owns_core:
            self.multiply_until(sum_of_all.is_completed)
        sum_of_all.wait()

    def send(self, block):
        for receiver, tensor in self.sent.get(block.number, ()):
            tensor[-2], tensor[-1] = block.number, self.iteration
            tensor[-4:-2].view(torch.float64)[0] = time.perf_counter()
            self.sending.append(dist.isend(tensor, self.rank_of[receiver],
                                           group=self.ways.get((self.device_number, receiver)), tag=block.number))

    def record(self, letter, stage, block, microbatch, start):
        self.rows.append((self.device_number, letter, stage, microbatch, block.slice, block.iteration, start,
                          time.perf_counter(), ""))

    def record_transfer(self, block, sender, tensor, arrived_s):
        """From when it was sent, or the one before it on its way had arrived, to its arrival. One that nobody waited for has
        come some time before it was looked for."""
        if block.kind not in TRANSFERS or not self.shares_clock_with(sender):
            return
        sent_s = tensor[-4:-2].view(torch.float64).item()
        begin_s = max(sent_s, self.arrived_s.get(sender, sent_s))
        self.arrived_s[sender] = arrived_s
        self.rows.append((sender, block.kind, block.stage, block.microbatch, block.slice, block.iteration, begin_s,
                          arrived_s, self.device_number))

    def shares_clock_with(self, device):
        return self.hosts[self.rank_of[device]] == self.hosts[self.rank]

    def run_pass(self, block):
        """A pair is its two passes one after the other: one core does one thing at a time."""
        share = 1 / len(block.devices) if block.kind in PASSES and PASSES[block.kind] not in "STNG" else 1
        share /= self.work.slices
        todo = [(PASSES.get(block.kind, "F"), block.stage, block.microbatch)]
        if block.pair:
            todo.append(("B", *block.pair))
        for letter, stage, microbatch in todo:
            start, products = time.perf_counter(), self.work.products(letter, stage) * share
            self.multiply(products)
            self.passes_s += time.perf_counter() - start
            self.products += products
            self.record(letter, stage, block, microbatch, start)

    def run_block(self, block):
        self.wait_for(block)
        if block.kind in PASSES or block.kind == PAIR:
            self.run_pass(block)
        elif block.kind in TRANSFERS or block.kind == "signal":
            self.send(block)
        elif block.number in self.summed:
            group, summed = self.summed[block.number]
            self.summing[block.number] = dist.all_reduce(summed, group=group, async_op=True)
            if block.holds_devices:
                self.wait_for_sum(self.summing[block.number])
        elif block.kind == UPDATE:
            weights, gradients = self.updated[block.stage]
            start = time.perf_counter()
            weights.add_(gradients, alpha=-1e-3)
            self.finish_kernels()
            self.record("update", block.stage, block, -1, start)

    def run_iteration(self, iteration):
        self.iteration, self.rows, self.sending, self.summing, self.arrived_s = iteration, [], [], {}, {}
        self.receive_all()
        self.passes_s, self.products = 0.0, 0.0
        dist.barrier(group=self.control)
        for block in self.mine:
            self.run_block(block)
        for each in self.summing.values():
            self.wait_for_sum(each)
        for each in self.sending:
            each.wait()
        self.finish_kernels()
        return self.rows

    def seen(self):
        """How long a product took within passes, the median of all iterations, and the share of time in which something else
        had the core; means over processes."""
        return {"product_in_passes_s": self.mean_of_processes(statistics.median(self.product_of_iteration_s)),
                "kept_waiting": self.mean_of_processes(self.kept_waiting)}

    def mean_of_processes(self, value):
        mean = torch.tensor(value, dtype=torch.float64)
        dist.all_reduce(mean, group=self.control)
        return mean.item() / len(self.used)

    def begin(self):
        """Times count from here."""
        self.product_of_iteration_s, self.recorded = [], []
        self.began_s, self.waited_s = time.perf_counter(), waited_for_core()
        own = (socket.gethostname(), self.began_s)
        zeros = [None] * len(self.used)
        dist.all_gather_object(zeros, own, group=self.control)
        self.hosts = [host for host, _ in zeros]
        # Processes of one machine share a clock; those of other machines begin with the same exchange.
        self.zero_s = zeros[0][1] if zeros[0][0] == own[0] else own[1]

    def take(self, iteration):
        rows = self.run_iteration(iteration)
        if iteration >= 0:
            self.product_of_iteration_s.append(self.passes_s / max(1.0, self.products))
            self.recorded.append([(*row[:6], row[6] - self.zero_s, row[7] - self.zero_s, row[8]) for row in rows])

    def finish(self):
        """What every process recorded, each of its iterations."""
        self.kept_waiting = (waited_for_core() - self.waited_s) / (time.perf_counter() - self.began_s)
        everything = [None] * len(self.used)
        dist.all_gather_object(everything, self.recorded, group=self.control)
        return everything

    def run(self, iterations, beside=None):
        """@param beside the process of another plan, of which an iteration is run after every second one"""
        both = [self] + ([beside] if beside else [])
        for each in both:
            each.begin()
        for iteration in range(-WARM_UP, iterations):
            self.take(iteration)
            if beside and iteration % 2 == 0:
                beside.take(iteration // 2)
        return [each.finish() for each in both]

    def time_of_product(self):
        """Of all processes at once, as they run later; the median, then the mean over processes."""
        times = []
        dist.barrier(group=self.control)
        for _ in range(60):
            start = time.perf_counter()
            self.multiply(10)
            times.append((time.perf_counter() - start) / 10)
        return self.mean_of_processes(statistics.median(times[10:]))


def give_way():
    """To gloo's thread, which has the core of its process: else it waits until the scheduler takes that away, which is
    milliseconds later."""
    os.sched_yield()


def waited_for_core():
    """Seconds in which this thread could have run and another one did, gloo's among them; 0 where the system does not say."""
    try:
        return int(pathlib.Path("/proc/self/schedstat").read_text().split()[1]) * 1e-9
    except (OSError, IndexError):
        return 0.0


def take_core(rank, count):
    """Of its own for this process and its threads; whether there are as many."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_setaffinity") else []
    if len(cores) < count:
        return False
    os.sched_setaffinity(0, {cores[rank]})
    return True


def on_gpus(count):
    return torch.cuda.is_available() and (torch.cuda.device_count() >= count or "RANK" in os.environ)


def start(rank, port, count, limit):
    """Of so many processes that this one starts, or that torchrun started."""
    torch.set_num_threads(1)
    backend = "nccl" if on_gpus(count) else "gloo"
    if port is None:
        dist.init_process_group(backend, timeout=limit)
        return
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    dist.init_process_group(backend, init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=count, timeout=limit)


def run_process(rank, port, count, jobs, arguments, done=None):
    """The jobs one after another, which may come as they are known. @param done is told of each recording by one process"""
    gc.collect()
    gc.freeze()  # else the collector walks through all of PyTorch now and then, in the middle of a pass
    limit = timedelta(seconds=arguments.timeout_s)
    owns_core = port is not None and not arguments.share_cores and not on_gpus(count) and take_core(rank, count)
    start(rank, port, count, limit)
    product_s = arguments.product_s
    for job in jobs:
        control = dist.new_group(list(range(len(job.used))), backend="gloo", timeout=limit)
        process = Process(rank, job, control, product_s, owns_core, arguments)
        if rank >= len(job.used):
            continue
        if not product_s:
            product_s = process.time_of_product()
            process.work.product_s = product_s / arguments.time_scale
            if rank == 0:
                say(f"a product of {arguments.rows} x {arguments.size} x {arguments.size} takes {product_s * 1e3:.4g} ms; "
                    f"--product-s {product_s:.6g} repeats exactly this work")
        beside = Process(rank, job.beside, control, product_s, owns_core, arguments) if job.beside else None
        recorded = process.run(job.iterations or arguments.iterations, beside)
        told = []
        for own, each, everything in zip([process, beside], [job, job.beside], recorded):
            seen = {"product_s": product_s, **own.seen()}
            if rank == 0:
                told.append(write_recording(everything, each, seen, arguments))
        if rank == 0 and done:
            done(told)
    dist.barrier()
    dist.destroy_process_group()


# --- the recording ------------------------------------------------------------------------------------------------------


def say(text):
    print(text, file=sys.stderr, flush=True)


def pace_of(ends_of):
    """Seconds of a mini-batch where several overlap: between the ends of those that neither fill nor drain the pipeline."""
    ends = [ends_of[each] for each in sorted(ends_of)]
    first, last = len(ends) // 3, len(ends) - 1 - len(ends) // 4
    return (ends[last] - ends[first]) / (last - first)


def write_recording(everything, job, seen, arguments):
    mini_batches = 1 + max(block.iteration for block in job.blocks)
    spans = []
    with open(job.out, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["rank", "pass", "stage", "microbatch", "slice", "iteration", "start_s", "end_s", "to"])
        for iteration in range(len(everything[0])):
            rows = [row for process in everything for row in process[iteration]]
            for device, letter, stage, microbatch, part, mini_batch, begin, end, to in rows:
                table.writerow([device, letter, stage, max(0, microbatch), part, iteration * mini_batches + mini_batch,
                                f"{begin:.7f}", f"{end:.7f}", to])
            if mini_batches == 1:
                spans.append(max(row[7] for row in rows) - min(row[6] for row in rows))
                continue
            ends = {}
            for row in rows:
                ends[row[5]] = max(ends.get(row[5], 0), row[7])
            spans.append(pace_of(ends))
    sizes = sorted(spans)
    quarter = len(sizes) // 4
    low, high = sizes[quarter], sizes[-1 - quarter]
    median_s = statistics.median(sizes)
    measured = {"recording": str(job.out), "iterations_s": spans, "median_s": median_s, "least_s": sizes[0],
                "first_quartile_s": low, "third_quartile_s": high, "overlapping_mini_batches": mini_batches if mini_batches > 1 else 0,
                **seen}
    if arguments.json:
        print(json.dumps(measured), flush=True)
    what = "an iteration" if mini_batches == 1 else "a mini-batch, where none fills or drains the pipeline,"
    say(f"{job.out}: {what} takes {median_s * 1e3:.4g} ms, the median of {len(spans)} "
        f"(quartiles {low * 1e3:.4g} and {high * 1e3:.4g} ms)")
    return measured


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


@dataclass
class Job:
    """A plan to run."""
    plan: dict
    profile: dict
    used: list  # devices that compute, by their number in the cluster; a process each
    blocks: list
    order: list  # numbers of blocks
    out: pathlib.Path = None
    iterations: int = None  # in place of those of the command
    beside: "Job" = None  # of which an iteration is run after every second one


def check_is_run(plan, profile, path):
    layers = max(stage["layers"][1] for stage in plan["stages"]) + 1
    if len(profile["layers"]) < layers:
        raise Refused(f"{path}: the profile has {len(profile['layers'])} layers; expected those of the plan, {layers}")
    for number, stage in enumerate(plan["stages"]):
        if any((stage.get("group") or {}).get(degree, 1) > 1 for degree in ("tensor", "context", "expert")):
            raise Refused(f"{path}: stage {number} divides its layers among GPUs (tensor, context or expert parallelism), "
                          "which is not run; expected stages whose GPUs have whole layers")


def job_of(path, table, arguments, folder):
    if path.suffix == ".csv":
        if not arguments.profile:
            raise Refused(f"{path}: an order has no times; expected --profile")
        path = plan_of_order(path, arguments.profile, folder)
    plan, profile, cluster = plan_of(path, arguments.plan)
    if arguments.profile:
        profile = read_json(arguments.profile)
        profile = included(profile.get("problem", profile).get("profile", profile), arguments.profile)
    check_is_run(plan, profile, arguments.profile or path)
    if table is None:
        table = folder / "blocks.csv"
        call("export", str(path), "--format", "csv", "--out", str(table), *(["--plan", arguments.plan] if arguments.plan else []))
    numbers = {device["id"]: index for index, device in enumerate(cluster["devices"])}
    for stage in plan["stages"]:
        stage["device_numbers"] = [numbers[each] for each in stage["devices"]]
    blocks, order = read_table(table, numbers)
    used = sorted({device for block in blocks if block.holds_devices for device in block.devices})
    swaps = sum(1 for block in blocks if block.kind.startswith("swap"))
    if swaps:
        say(f"{path}: {swaps} swaps are left out: there is no other memory to swap to")
    return Job(plan, profile, used, blocks, order)


def jobs_of(arguments):
    if arguments.table and len(arguments.table) != len(arguments.plan_file):
        raise Refused(f"--table is given {len(arguments.table)} times; expected once for each plan, {len(arguments.plan_file)}")
    tables = arguments.table or [None] * len(arguments.plan_file)
    with tempfile.TemporaryDirectory(prefix="run-plan-") as folder:
        jobs = [job_of(pathlib.Path(path), table, arguments, pathlib.Path(folder))
                for path, table in zip(arguments.plan_file, tables)]
    if len(jobs) == 1:
        jobs[0].out = pathlib.Path(arguments.out or "passes.csv")
        return jobs
    target = pathlib.Path(arguments.out or ".")
    target.mkdir(parents=True, exist_ok=True)
    for job, path in zip(jobs, arguments.plan_file):
        job.out = target / (pathlib.Path(path).name.split(".")[0] + ".passes.csv")
    return jobs


def arguments_of(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan_file", metavar="PLAN", nargs="+",
                        help="a plan or a project, or an order of torch.distributed.pipelining; several run one after another")
    parser.add_argument("--plan", metavar="NAME", help="which of a project")
    parser.add_argument("--profile", metavar="F", help="what passes are as long as, in place of the plan's own profile")
    parser.add_argument("--table", metavar="F", action="append", default=[],
                        help="the plan's blocks, as stagecraft export --format csv writes them; once for each plan")
    parser.add_argument("--out", metavar="F", help="the recording, passes.csv by default; of several plans a folder of them")
    parser.add_argument("--iterations", type=int, default=20, help=f"that are recorded, after {WARM_UP} that are not")
    parser.add_argument("--product-s", type=float, help="seconds of a product, in place of measuring it first")
    parser.add_argument("--rows", type=int, default=256, help="of a product's left factor: those of a microbatch")
    parser.add_argument("--size", type=int, default=128, help="of its right factor")
    parser.add_argument("--time-scale", type=float, default=1, help="of all times of the profile")
    parser.add_argument("--byte-scale", type=float, default=1, help="of all bytes of the profile")
    parser.add_argument("--share-cores", action="store_true",
                        help="with other programs: processes are not bound to cores and sleep while they wait; times repeat less well")
    parser.add_argument("--timeout-s", type=float, default=300, help="after which a process that waits gives up")
    parser.add_argument("--json", action="store_true", help="print each iteration's median and quartiles as JSON, a line a plan")
    return parser.parse_args(words)


def main():
    arguments = arguments_of()
    try:
        jobs = jobs_of(arguments)
    except Refused as error:
        sys.exit(f"run_plan: {error}")
    count = max(len(job.used) for job in jobs)
    if not on_gpus(count) and count > (os.cpu_count() or 1):
        say(f"{count} processes share {os.cpu_count()} cores: the order is the plan's, the times are not")
    if "RANK" not in os.environ:
        # A fork has read PyTorch already; CUDA does not survive one.
        method = "spawn" if torch.cuda.is_available() else "fork"
        processes.start_processes(run_process, (free_port(), count, jobs, arguments), nprocs=count, start_method=method)
        return
    if int(os.environ["WORLD_SIZE"]) != count:
        sys.exit(f"run_plan: there are {os.environ['WORLD_SIZE']} processes; expected one for each device, {count}")
    run_process(int(os.environ["RANK"]), None, count, jobs, arguments)


if __name__ == "__main__":
    main()
