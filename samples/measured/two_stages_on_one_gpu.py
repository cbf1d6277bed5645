#!/usr/bin/env python3
"""Trains a two-stage pipeline on one GPU, each stage on half of its multiprocessors, and records every pass.

    python3 two_stages_on_one_gpu.py --module ../profiler/language_models.py:llama_3_8b --blocks 12 \
        --input tokens:2048:128256 --cut 8 --schedule 1f1b --out run

The halves are CUDA's green contexts (package cuda-bindings, driver 12.4 or later). Beside run.passes.csv (iteration,
rank, pass, stage, microbatch, start and end in seconds) there are run.trace.json.gz, what PyTorch's profiler records of
the last iteration with the names of PyTorch's pipelining runtime ("PP:0F3"), and run.profile.json, the layers measured
on one half while the other rests: what a plan knows before the run.
"""

import argparse
import csv
import json
import pathlib
import sys

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "profiler"))
import profile_torch


def halves_of_the_gpu():
    """Two streams whose kernels run on so many multiprocessors each, and that number."""
    from cuda.bindings import driver

    def checked(result):
        error, *values = result
        if int(error) != 0:
            raise RuntimeError(f"CUDA says {error}")
        return values[0] if len(values) == 1 else values

    torch.zeros(1, device="cuda")
    device = checked(driver.cuDeviceGet(0))
    kind = driver.CUdevResourceType.CU_DEV_RESOURCE_TYPE_SM
    everything = checked(driver.cuDeviceGetDevResource(device, kind))
    count = torch.cuda.get_device_properties(0).multi_processor_count // 2 // 8 * 8
    groups = checked(driver.cuDevSmResourceSplitByCount(2, everything, 0, count))[0]
    streams = []
    for group in groups[:2]:
        description = checked(driver.cuDevResourceGenerateDesc([group], 1))
        flags = driver.CUgreenCtxCreate_flags.CU_GREEN_CTX_DEFAULT_STREAM
        context = checked(driver.cuGreenCtxCreate(description, device, flags))
        stream = checked(driver.cuGreenCtxStreamCreate(
            context, driver.CUstream_flags.CU_STREAM_NON_BLOCKING, 0))
        streams.append(torch.cuda.ExternalStream(int(stream)))
    return streams, count


def orders(schedule, microbatches):
    """The passes of both stages in an order in which they can be launched: (stage, kind, microbatch)."""
    if schedule == "gpipe":
        return ([(stage, "F", mb) for mb in range(microbatches) for stage in (0, 1)] +
                [(stage, "B", mb) for mb in range(microbatches) for stage in (1, 0)])
    launched = [(0, "F", 0)]
    for mb in range(microbatches):
        if mb + 1 < microbatches:
            launched.append((0, "F", mb + 1))
        launched += [(1, "F", mb), (1, "B", mb), (0, "B", mb)]
    return launched


class Pipeline:
    """Two stages, each on its stream; what passes between them is copied on streams of its own."""

    def __init__(self, stages, streams, make_input):
        self.stages, self.streams, self.make_input = stages, streams, make_input
        self.links = [torch.cuda.Stream(), torch.cuda.Stream()]
        self.passes = []

    def iterate(self, launched, microbatches):
        inputs = [self.make_input() for _ in range(microbatches)]
        torch.cuda.synchronize()
        self.base, self.passes = torch.cuda.Event(enable_timing=True), []
        self.base.record(self.streams[0])
        self.streams[1].wait_event(self.base)
        kept, arrived = {}, {(0, "F", mb): (inputs[mb], None) for mb in range(microbatches)}
        for stage, kind, mb in launched:
            value, ready = arrived.pop((stage, kind, mb), (None, None))
            with torch.cuda.stream(self.streams[stage]):
                if ready is not None:
                    self.streams[stage].wait_event(ready)
                    value.record_stream(self.streams[stage])
                with self._recorded(stage, kind, mb):
                    if kind == "F":
                        passed = self._forward(stage, mb, value, kept)
                    else:
                        passed = self._backward(stage, mb, value, kept)
            to = stage + 1 if kind == "F" else stage - 1
            if to in (0, 1):
                arrived[to, kind, mb] = self._sent(passed, stage)
            elif kind == "F":
                arrived[stage, "B", mb] = (passed, None)
        for stage, stream in enumerate(self.streams):
            with torch.cuda.stream(stream), self._recorded(stage, "update", 0), torch.no_grad():
                for weight in self.stages[stage].parameters():
                    weight.add_(weight.grad, alpha=-1e-6)
                    weight.grad.zero_()
        torch.cuda.synchronize()

    def _forward(self, stage, mb, value, kept):
        received = value.detach().requires_grad_() if value.is_floating_point() else value
        output = self.stages[stage](received)
        kept[stage, mb] = (received, output)
        return torch.ones_like(output) if stage == 1 else output.detach()

    def _backward(self, stage, mb, gradient, kept):
        received, output = kept.pop((stage, mb))
        torch.autograd.backward(output, gradient)
        return received.grad

    def _sent(self, tensor, stage):
        link = self.links[stage]
        done = torch.cuda.Event()
        self.streams[stage].record_event(done)
        link.wait_event(done)
        with torch.cuda.stream(link):
            tensor.record_stream(link)
            with record_function("PP::send"):
                copy = tensor.clone()
        there = torch.cuda.Event()
        link.record_event(there)
        return copy, there

    def _recorded(self, stage, kind, mb):
        pipeline = self

        class Recorded:
            def __enter__(self):
                self.name = record_function(f"PP:{stage}{kind}{mb}" if kind != "update" else f"PP:{stage}UPDATE")
                self.name.__enter__()
                self.start, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                self.start.record()

            def __exit__(self, *problem):
                self.end.record()
                self.name.__exit__(*problem)
                pipeline.passes.append((stage, kind, mb, self.start, self.end))

        return Recorded()

    def rows(self, iteration):
        for stage, kind, mb, start, end in self.passes:
            yield (iteration, stage, kind, stage, mb, f"{self.base.elapsed_time(start) / 1e3:.7f}",
                   f"{self.base.elapsed_time(end) / 1e3:.7f}")


def run(arguments):
    torch.manual_seed(0)
    device = torch.device("cuda")
    torch.set_default_dtype(torch.bfloat16)
    with device:
        network = profile_torch._from_file(arguments.module)
        if arguments.blocks:
            members = list(network)
            network = nn.Sequential(members[0], *members[1:1 + arguments.blocks], members[-1])
    streams, count = halves_of_the_gpu()
    make = profile_torch._input_maker(arguments.input)
    if not arguments.no_profile:
        with torch.cuda.stream(streams[0]):
            what = f"{arguments.module.rpartition(':')[2]}, {len(network) - 2} blocks, input {arguments.input}"
            measured = profile_torch.measure(
                network, make, [arguments.batch], None, what, f"{what}, {count} multiprocessors of the GPU",
                device, torch.bfloat16, 3, 15)
        pathlib.Path(arguments.out + ".profile.json").write_text(json.dumps(measured, indent=1) + "\n")
        torch.cuda.empty_cache()
    layers = list(network)
    stages = [nn.Sequential(*layers[:arguments.cut]), nn.Sequential(*layers[arguments.cut:])]
    pipeline = Pipeline(stages, streams, lambda: make(arguments.batch).to(device))
    launched = orders(arguments.schedule, arguments.microbatches)
    rows = []
    for iteration in range(arguments.iterations):
        pipeline.iterate(launched, arguments.microbatches)
        rows += pipeline.rows(iteration)
        print(f"iteration {iteration}: {max(float(row[6]) for row in rows if row[0] == iteration):.4f} s",
              file=sys.stderr, flush=True)
    with open(arguments.out + ".passes.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["iteration", "rank", "pass", "stage", "microbatch", "start_s", "end_s"])
        writer.writerows(rows)
    if not arguments.no_trace:
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as recorded:
            pipeline.iterate(launched, arguments.microbatches)
        recorded.export_chrome_trace(arguments.out + ".trace.json.gz")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--module", required=True, metavar="FILE.py:NAME", help="makes an nn.Sequential")
    parser.add_argument("--blocks", type=int, metavar="N", help="so many of its inner members")
    parser.add_argument("--input", required=True, metavar="SHAPE", help="as profile_torch.py takes it")
    parser.add_argument("--batch", type=int, default=1, metavar="N", help="samples in a microbatch")
    parser.add_argument("--cut", type=int, required=True, metavar="N", help="members in the first stage")
    parser.add_argument("--schedule", choices=["gpipe", "1f1b"], default="1f1b")
    parser.add_argument("--microbatches", type=int, default=8, metavar="N")
    parser.add_argument("--iterations", type=int, default=8, metavar="N")
    parser.add_argument("--no-profile", action="store_true", help="do not measure the layers")
    parser.add_argument("--no-trace", action="store_true", help="do not record a trace")
    parser.add_argument("--out", required=True, metavar="NAME", help="what the files' names begin with")
    run(parser.parse_args())


if __name__ == "__main__":
    main()
