#!/usr/bin/env python3
"""A planner for Stagecraft: equal layers on all GPUs under one of the four methods whose throughput Qi et al. measured.

Try it:  stagecraft sweep samples/measured/zero-bubble.experiment.json --out zero-bubble.csv
"""
import json
import sys

METHODS = ["1f1b", "interleaved", "zb-1p", "zb-2p"]

if sys.argv[1:] == ["--describe"]:
    print(json.dumps({"id": "zero-bubble-methods", "title": "Qi et al.'s four methods", "kind": "planner",
                      "source": "Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024", "parameters": [
        {"name": "method", "label": "Method", "default": "1f1b", "choices": METHODS,
         "description": "zb-1p and zb-2p search within once and twice 1F1B's memory, and have no barrier between iterations."},
        {"name": "chunks", "label": "Stages on each GPU", "default": 2, "minimum": 2, "maximum": 64,
         "description": "Of interleaved alone."}]}))
    sys.exit()

request = json.load(sys.stdin)
layers = len(request["problem"]["profile"]["layers"])
devices = [device["id"] for device in request["problem"]["cluster"]["devices"]]
method = request["parameters"]["method"]
stages = len(devices) * (request["parameters"]["chunks"] if method == "interleaved" else 1)
if layers % stages:
    json.dump({"refused": f"{layers} layers are not equally many on {stages} stages"}, sys.stdout)
    sys.exit()

each = layers // stages
plan = {"stages": [{"layers": [s * each, (s + 1) * each - 1], "devices": [devices[s % len(devices)]]} for s in range(stages)],
        "schedule": {"policy": method}}
if method.startswith("zb"):
    # Weights are updated without waiting for the other GPUs, and validated afterwards (Sec. 4): an iteration takes as long
    # as the longest span of a GPU. The others keep the barrier that a plan without 'weights' has.
    limit = len(devices) if method == "zb-1p" else 2 * len(devices)
    plan["schedule"] = {"policy": "zb-search", "parameters": {"limit": limit}, "split_backward": True}
    plan["weights"] = {"policy": "single"}
json.dump(plan, sys.stdout)
