#!/usr/bin/env python3
"""Measures what a GPU reaches on the matrix products, attentions and copies of language models, by their shapes.

    python3 measure_efficiencies.py --config config.json --sequence 4096,8192 --tensor 1,2,4,8 \
        --peak 989 --bandwidth 3350 --out h100.efficiencies.json

config.json: a dense decoder as Hugging Face's transformers describes it (several: separated by commas). What is
written is a system file of SimuMax (its accelerator alone, no network), which Stagecraft takes as `efficiencies`.
Shares count attention as if nothing were masked, as SimuMax's do.
"""

import argparse
import datetime
import json
import pathlib
import statistics
import sys

import torch
from torch.nn import functional


class Stopwatch:
    """Seconds of a call on the GPU, the median of `repeats` after `warmup`, with its caches emptied before each."""

    def __init__(self, warmup, repeats):
        self.warmup, self.repeats = warmup, repeats
        self.flushed = torch.empty(256 * 2**20, dtype=torch.int8, device="cuda")

    def seconds(self, call):
        times = []
        for repetition in range(self.warmup + self.repeats):
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            self.flushed.zero_()
            start.record()
            call()
            end.record()
            torch.cuda.synchronize()
            if repetition >= self.warmup:
                times.append(start.elapsed_time(end) / 1e3)
        return statistics.median(times)


class Shapes:
    """What one block of a model and its head compute on one of t GPUs of a tensor-parallel group."""

    def __init__(self, config, tensor, tokens):
        width, heads = config["hidden_size"], config["num_attention_heads"]
        self.head_width = config.get("head_dim") or width // heads
        key_value_heads = config.get("num_key_value_heads") or heads
        self.heads, self.key_value_heads = heads // tensor, max(key_value_heads // tensor, 1)
        feed_forward = config["intermediate_size"] // tensor
        self.products = {  # (inputs, outputs) of each weight
            (width, (self.heads + 2 * self.key_value_heads) * self.head_width),
            (self.heads * self.head_width, width),
            (width, 2 * feed_forward), (width, feed_forward), (feed_forward, width),
            (width, config["vocab_size"] // tensor)}
        self.tokens = tokens


def random(*shape):
    return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)


def product_shares(shapes, watch, peak, into):
    m = shapes.tokens
    for inputs, outputs in sorted(shapes.products):
        x, weight, gradient = random(m, inputs), random(outputs, inputs), random(m, outputs)
        total = torch.zeros(outputs, inputs, device="cuda", dtype=torch.float32)
        passes = {
            f"m={m}, k={inputs}, n={outputs}, layout=TN, accumulate=False, out_dtype=bf16": lambda: x @ weight.t(),
            f"m={m}, k={outputs}, n={inputs}, layout=NN, accumulate=False, out_dtype=bf16": lambda: gradient @ weight,
            f"m={outputs}, k={m}, n={inputs}, layout=NT, accumulate=False, out_dtype=bf16":
                lambda: gradient.t() @ x,
            f"m={outputs}, k={m}, n={inputs}, layout=NT, accumulate=True, out_dtype=fp32":
                lambda: total.add_(gradient.t() @ x)}
        for name, call in passes.items():
            into["b=1, " + name] = share(2 * m * inputs * outputs, watch.seconds(call), peak)


def attention_shares(shapes, batch, length, watch, peak, forward_into, backward_into):
    query = random(batch, shapes.heads, length, shapes.head_width).requires_grad_()
    key, value = (random(batch, shapes.key_value_heads, length, shapes.head_width).requires_grad_()
                  for _ in range(2))
    grouped = {} if shapes.heads == shapes.key_value_heads else {"enable_gqa": True}

    def attend():
        return functional.scaled_dot_product_attention(query, key, value, is_causal=True, **grouped)

    attended = attend()
    gradient = torch.randn_like(attended)
    name = (f"batch={batch}, seq_len={length}, head_num={shapes.heads}, kv_head_num={shapes.key_value_heads}, "
            f"qk_head_dim={shapes.head_width}, v_head_dim={shapes.head_width}, qkv_contiguous=False")
    products = 2 * batch * shapes.heads * length * length * shapes.head_width
    forward_into[name] = share(2 * products, watch.seconds(attend), peak)
    backward_into[name] = share(4 * products, watch.seconds(lambda: torch.autograd.grad(
        attended, [query, key, value], gradient, retain_graph=True)), peak)


def share(operations, seconds, peak):
    return operations / seconds / peak


def copies(watch, bandwidth, tokens, vocabulary):
    """What an addition of two large tensors reaches, and softmax with cross entropy on logits in fp32."""
    a, b = random(2**29), random(2**29)
    addition = 3 * a.numel() * 2 / watch.seconds(lambda: torch.add(a, b, out=b))
    del a, b
    logits = torch.randn(tokens, vocabulary, device="cuda", requires_grad=True)
    wanted = torch.randint(vocabulary, (tokens,), device="cuda")

    def loss():
        torch.autograd.grad(functional.cross_entropy(logits, wanted), logits)

    # The forward reads the logits and writes their logarithms, the backward reads those and writes gradients.
    entropy = 4 * logits.numel() * 4 / watch.seconds(loss)
    small = random(2**10)
    latency = watch.seconds(lambda: small.add_(1)) * 1e6
    gbps = bandwidth / 1.073741824  # SimuMax counts in GiB
    kind = {"gbps": gbps, "latency_us": 0}
    return {"default": {"efficient_factor": addition / (bandwidth * 1e9), **kind},
            "ce": {"efficient_factor": entropy / (bandwidth * 1e9), **kind}}, latency


def measure(arguments):
    peak, watch = arguments.peak * 1e12, Stopwatch(arguments.warmup, arguments.repeats)
    products, forward, backward = {}, {}, {}
    configs = [json.loads(pathlib.Path(name).read_text()) for name in arguments.config.split(",")]
    for config in configs:
        for length in map(int, arguments.sequence.split(",")):
            for batch in map(int, arguments.batch.split(",")):
                for tensor in map(int, arguments.tensor.split(",")):
                    shapes = Shapes(config, tensor, batch * length)
                    product_shares(shapes, watch, peak, products)
                    attention_shares(shapes, batch, length, watch, peak, forward, backward)
                    print(f"{config.get('model_type')}, {length} tokens, batch {batch}, t = {tensor}",
                          file=sys.stderr, flush=True)
    bandwidth, latency = copies(watch, arguments.bandwidth, 4096, configs[0]["vocab_size"])

    def table(shares):
        return {"tflops": arguments.peak, "efficient_factor": statistics.median(shares.values()),
                "accurate_efficient_factor": shares}

    told = (f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}, "
            f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}; medians of {arguments.repeats} with caches "
            f"emptied before each; an empty kernel takes {latency:.1f} us between events")
    return {"sys_name": arguments.name, "source": told,
            "accelerator": {"op": {"matmul": table(products), "sdp_fwd": table(forward),
                                   "sdp_bwd": table(backward)}, "bandwidth": bandwidth}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--config", required=True, metavar="F[,F…]", help="config.json of dense decoders")
    parser.add_argument("--sequence", default="4096", metavar="N[,N…]", help="tokens of a sample")
    parser.add_argument("--batch", default="1", metavar="N[,N…]", help="samples in a microbatch")
    parser.add_argument("--tensor", default="1", metavar="N[,N…]", help="degrees of tensor parallelism")
    parser.add_argument("--peak", type=float, required=True, help="of dense bf16 products, in TFLOP/s")
    parser.add_argument("--bandwidth", type=float, required=True, help="of the memory, in GB/s")
    parser.add_argument("--name", default="measured", help="of the measurement")
    parser.add_argument("--warmup", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--out", required=True, metavar="F")
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        parser.error("PyTorch sees no GPU here")
    pathlib.Path(arguments.out).write_text(json.dumps(measure(arguments), indent=1) + "\n")


if __name__ == "__main__":
    main()
