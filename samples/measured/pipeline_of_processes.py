#!/usr/bin/env python3
"""Trains a small network as a pipeline of processes on this machine's CPU, and records each with PyTorch's profiler.

    python3 pipeline_of_processes.py --schedule interleaved-zb --ranks 4 --microbatches 8 --threads 3 --out pipelining

The schedules are those of torch.distributed.pipelining with two stages on each rank, of which it names every pass in
the trace ("PP:2F0"; those with one stage are in one_stage_schedules.py); transfers go through gloo. Beside the traces,
rank-N.trace.json.gz, there is orders.csv: the order of actions that PyTorch itself gives each rank.
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
from torch.distributed.pipelining import PipelineStage, schedules
from torch.profiler import ProfilerActivity, profile

# By the names that Stagecraft has.
SCHEDULES = {
    "interleaved": "ScheduleInterleaved1F1B",
    "interleaved-zb": "ScheduleInterleavedZeroBubble",
}
STAGES_OF_A_RANK = 2


class Block(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = nn.ModuleList(nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
                                    for _ in range(depth))

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x


def run(rank, arguments):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29543")
    torch.set_num_threads(arguments.threads)
    dist.init_process_group("gloo", rank=rank, world_size=arguments.ranks)
    count = arguments.ranks * STAGES_OF_A_RANK
    sample = torch.zeros(arguments.samples, arguments.width)
    stages = [PipelineStage(Block(arguments.width, arguments.uneven if index == count - 1 else arguments.depth), index,
                            count, torch.device("cpu"), input_args=sample, output_args=sample)
              for index in range(rank, count, arguments.ranks)]
    schedule = getattr(schedules, SCHEDULES[arguments.schedule])(stages, arguments.microbatches,
                                                                 loss_fn=nn.functional.mse_loss)
    whole = torch.randn(arguments.microbatches * arguments.samples, arguments.width)
    indices = [stage.stage_index for stage in stages]

    def step():
        if count - 1 in indices:
            schedule.step(*([whole] if 0 in indices else []), target=whole, losses=[])
        elif 0 in indices:
            schedule.step(whole)
        else:
            schedule.step()

    for _ in range(2):
        step()
    dist.barrier()
    with profile(activities=[ProfilerActivity.CPU]) as recorded:
        for _ in range(arguments.iterations):
            step()
    plain = arguments.out / f"rank-{rank}.trace.json"
    recorded.export_chrome_trace(str(plain))
    with open(plain, "rb") as text, gzip.GzipFile(f"{plain}.gz", "wb", mtime=0) as packed:
        shutil.copyfileobj(text, packed)
    plain.unlink()
    if rank == 0:
        order = schedule.pipeline_order
        lines = [",".join("" if action is None else str(action) for action in order[each]) for each in sorted(order)]
        (arguments.out / "orders.csv").write_text("\n".join(lines) + "\n")
    dist.barrier()
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schedule", choices=SCHEDULES, default="interleaved-zb")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--microbatches", type=int, default=8)
    parser.add_argument("--samples", type=int, default=256, help="of a microbatch")
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--depth", type=int, default=2, help="layers of a stage")
    parser.add_argument("--uneven", type=int, default=3, help="layers of the last stage")
    parser.add_argument("--iterations", type=int, default=3, help="that are recorded, after two that are not")
    parser.add_argument("--threads", type=int, default=1, help="of each process")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="a folder")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    processes.spawn(run, (arguments,), nprocs=arguments.ranks)


if __name__ == "__main__":
    main()
