#!/usr/bin/env python3
"""A schedule family for Stagecraft: 1F1B whose stages run some more forwards before their first backward.

One more hides the time of a transfer, for the memory of one more microbatch.
Try it:  stagecraft plan samples/fig2-toy.stagecraft.json --planner gpipe --schedule exec:samples/planners/warm_up_1f1b.py
"""
import json
import sys

if sys.argv[1:] == ["--describe"]:
    print(json.dumps({"id": "warm-up-1f1b", "title": "1F1B with a longer warm-up", "kind": "schedule", "parameters": [
        {"name": "more", "label": "More forwards", "default": 1, "minimum": 0, "maximum": 1000,
         "description": "Forwards of each stage before its first backward, beyond those of 1F1B."}]}))
    sys.exit()

request = json.load(sys.stdin)
shape = request["shape"]
stages, microbatches = len(request["stages"]), shape["microbatches"]
# What it cannot do it says: "no plan", with these words.
if shape["rank_of"] != list(range(stages)) or any(shape["pipeline_of"]):
    print(json.dumps({"refused": "this family wants one pipeline of stages that each have devices of their own"}))
    sys.exit()

orders = []
for stage in range(stages):
    ahead = min(microbatches, stages - stage + request["parameters"]["more"])
    order = [f"F{m}" for m in range(ahead)]
    for m in range(microbatches):
        order.append(f"B{m}")
        if m + ahead < microbatches:
            order.append(f"F{m + ahead}")
    orders.append(order)
json.dump({"orders": orders}, sys.stdout)
