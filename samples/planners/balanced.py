#!/usr/bin/env python3
"""A planner for Stagecraft: equally many GPUs for each stage, and layers so that no stage takes much longer than another.

Try it:  stagecraft plan samples/bert-large-8x4.stagecraft.json --planner exec:samples/planners/balanced.py
"""
import json
import sys

if sys.argv[1:] == ["--describe"]:  # what the window and 'stagecraft planners' show
    print(json.dumps({"id": "balanced", "title": "Balanced stages", "kind": "planner", "parameters": [
        {"name": "most_replicas", "label": "Replicas at most", "default": 8, "minimum": 1, "maximum": 1024,
         "description": "GPUs that may share a stage."}]}))
    sys.exit()

request = json.load(sys.stdin)
layers = request["problem"]["profile"]["layers"]
devices = request["problem"]["cluster"]["devices"]
links = request["problem"]["cluster"]["links"]
microbatches = request["problem"]["setup"]["microbatches"]

# Sums over the first layers, so that any run of layers costs one subtraction.
seconds, size = [0.0], [0.0]
for layer in layers:
    seconds.append(seconds[-1] + layer["forward_s"] + layer["backward_s"])
    size.append(size[-1] + layer["parameter_bytes"])


def bandwidth(group):
    """The slowest link between GPUs of one server, or, if they are in several, of the whole cluster."""
    ids = {device["id"] for device in group}
    inside = [link["bandwidth_Bps"] for link in links if {link["a"], link["b"]} <= ids]
    alone = len({device.get("server") for device in group}) == 1
    return min(inside if alone and inside else [link["bandwidth_Bps"] for link in links])


best = (float("inf"), [])
replicas = 1
while replicas <= min(len(devices), request["parameters"]["most_replicas"]):
    groups = [devices[i:i + replicas] for i in range(0, len(devices) - replicas + 1, replicas)]
    speeds = [replicas * min(device.get("speed", 1) for device in group) for group in groups]
    reduce = [2 * (replicas - 1) / replicas / bandwidth(group) if replicas > 1 else 0 for group in groups]
    for count in range(1, min(len(groups), len(layers)) + 1):
        # least[n] = (the longest of the stages so far, where each of them begins), for the first n layers.
        least = {0: (0.0, [])}
        for stage in range(count):
            least = {end: min((max(worst, (microbatches + count - 1) * (seconds[end] - seconds[start]) / speeds[stage]
                                   + (size[end] - size[start]) * reduce[stage]), starts + [start])
                              for start, (worst, starts) in least.items() if start < end)
                     for end in range(stage + 1, len(layers) + 1)}
        time, starts = least[len(layers)]
        if time < best[0]:
            best = time, [{"layers": [start, end - 1], "devices": [device["id"] for device in group]}
                          for start, end, group in zip(starts, starts[1:] + [len(layers)], groups)]
    print("progress", replicas / len(devices), file=sys.stderr, flush=True)  # moves the progress bar
    replicas *= 2

json.dump({"stages": best[1], "schedule": {"policy": "1f1b"}, "said": {"predicted_s": best[0]}}, sys.stdout)
