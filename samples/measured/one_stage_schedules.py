#!/usr/bin/env python3
"""Trains a small network as a pipeline of one stage on each of two or more processes on this machine's CPU, and records
each with PyTorch's profiler.

    python3 one_stage_schedules.py --schedule 1f1b --ranks 2 --microbatches 6 --out 1f1b

It runs with any PyTorch that has gloo, also one without torch.distributed.pipelining such as Debian 12's: stage and
schedules are stand-ins for that package's PipelineStage, ScheduleGPipe and Schedule1F1B. They do the same passes in the
same order, GPipe's under the names that PyTorch gives them ("Forward 3") and 1F1B's under none. named() below is what
Stagecraft's help says to add to a script; --named applies it. The traces are rank-N.trace.json.gz.
"""

import argparse
import gzip
import os
import pathlib
import shutil

import torch
import torch.distributed as dist
import torch.multiprocessing as processes
from torch import nn
from torch.autograd.profiler import profile, record_function


def named(call, word):                      # word: "Forward" or "Backward"
    def run(microbatch, *args, **kwargs):
        with record_function(f"{word} {microbatch}"):
            return call(microbatch, *args, **kwargs)
    return run


class Stage:
    """Of PipelineStage what the schedules below need; transfers wait until what they bring is there."""

    def __init__(self, layers, rank, ranks, microbatches, shape):
        self.layers, self.stage_index, self.num_stages = layers, rank, ranks
        # Buffers are there before the first pass, as PipelineStage has them.
        self.buffers = {(source, microbatch): torch.empty(shape)
                        for source in (rank - 1, rank + 1) for microbatch in range(microbatches)}
        self.kept = {}
        self.sends = []

    def receive(self, source, microbatch):
        dist.recv(self.buffers[source, microbatch], source)
        return self.buffers[source, microbatch]

    def send(self, tensor, target):
        self.sends.append((dist.isend(tensor, target), tensor))

    def forward_one_chunk(self, microbatch, args, kwargs=None, save_forward_output=True):
        x = args[0].clone().requires_grad_()
        out = self.layers(x)
        self.kept[microbatch] = (x, out)
        return out

    def backward_one_chunk(self, microbatch, loss=None, last_backward=False, gradient=None):
        x, out = self.kept.pop(microbatch)
        if loss is not None:
            loss.backward()
        else:
            out.backward(gradient)
        return x.grad


class Schedule:
    def __init__(self, stage, microbatches):
        self.stage, self.microbatches = stage, microbatches
        self.losses = {}

    def forward(self, microbatch, whole):
        stage = self.stage
        x = whole[microbatch] if stage.stage_index == 0 else stage.receive(stage.stage_index - 1, microbatch)
        out = stage.forward_one_chunk(microbatch, (x,), {}, save_forward_output=True)
        if stage.stage_index + 1 < stage.num_stages:
            stage.send(out.detach(), stage.stage_index + 1)
        else:
            self.losses[microbatch] = nn.functional.mse_loss(out, whole[microbatch])

    def backward(self, microbatch):
        stage, last = self.stage, microbatch == self.microbatches - 1
        loss = self.losses.pop(microbatch, None)
        gradient = None if loss is not None else stage.receive(stage.stage_index + 1, microbatch)
        back = stage.backward_one_chunk(microbatch, loss=loss, last_backward=last, gradient=gradient)
        if stage.stage_index > 0:
            stage.send(back, stage.stage_index - 1)

    def finish(self):
        for work, _ in self.stage.sends:
            work.wait()
        self.stage.sends.clear()


class GPipe(Schedule):
    def step(self, whole):
        for microbatch in range(self.microbatches):
            with record_function(f"Forward {microbatch}"):
                self.forward(microbatch, whole)
        for microbatch in range(self.microbatches):
            with record_function(f"Backward {microbatch}"):
                self.backward(microbatch)
        self.finish()


class OneForwardOneBackward(Schedule):
    def step(self, whole):
        ahead = min(self.microbatches, self.stage.num_stages - self.stage.stage_index)
        for microbatch in range(ahead):
            self.forward(microbatch, whole)
        for microbatch in range(self.microbatches):
            self.backward(microbatch)
            if microbatch + ahead < self.microbatches:
                self.forward(microbatch + ahead, whole)
        self.finish()


SCHEDULES = {"gpipe": GPipe, "1f1b": OneForwardOneBackward}


def run(rank, arguments):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(arguments.port))
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=arguments.ranks)
    width = arguments.width
    layers = nn.Sequential(*(nn.Linear(width, width) for _ in range(arguments.depth)))
    stage = Stage(layers, rank, arguments.ranks, arguments.microbatches, (arguments.samples, width))
    if arguments.named:
        stage.forward_one_chunk = named(stage.forward_one_chunk, "Forward")
        stage.backward_one_chunk = named(stage.backward_one_chunk, "Backward")
    schedule = SCHEDULES[arguments.schedule](stage, arguments.microbatches)
    whole = torch.randn(arguments.microbatches, arguments.samples, width)
    schedule.step(whole)
    dist.barrier()
    with profile() as recorded:
        for _ in range(arguments.iterations):
            schedule.step(whole)
            dist.barrier()
    plain = arguments.out / f"rank-{rank}.trace.json"
    recorded.export_chrome_trace(str(plain))
    with open(plain, "rb") as text, open(f"{plain}.gz", "wb") as file:
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            shutil.copyfileobj(text, packed)
    plain.unlink()
    dist.barrier()
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schedule", choices=SCHEDULES, default="1f1b")
    parser.add_argument("--named", action="store_true", help="name the passes, as help says to")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--microbatches", type=int, default=6)
    parser.add_argument("--samples", type=int, default=256, help="of a microbatch")
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--depth", type=int, default=2, help="layers of a stage")
    parser.add_argument("--iterations", type=int, default=3, help="that are recorded, after one that is not")
    parser.add_argument("--port", type=int, default=29544)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="a folder")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    processes.spawn(run, (arguments,), nprocs=arguments.ranks)


if __name__ == "__main__":
    main()
