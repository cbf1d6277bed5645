#!/usr/bin/env python3
"""A planner for Stagecraft: equally many layers in so many stages, each on equally many neighbouring GPUs, under 1F1B.

Try it:  stagecraft plan --profile F --cluster F --planner exec:samples/measured/equal_stages.py --set stages=2
"""
import json
import sys

if sys.argv[1:] == ["--describe"]:
    print(json.dumps({"id": "equal-stages", "title": "Equal stages", "kind": "planner",
                      "source": "As Megatron-LM cuts: Narayanan et al., SC 2021", "parameters": [
        {"name": "stages", "label": "Stages", "default": 2, "minimum": 1, "maximum": 1024,
         "description": "They divide the layers and the GPUs."}]}))
    sys.exit()

request = json.load(sys.stdin)
layers = len(request["problem"]["profile"]["layers"])
devices = [device["id"] for device in request["problem"]["cluster"]["devices"]]
stages = request["parameters"]["stages"]
if layers % stages or len(devices) % stages:
    json.dump({"refused": f"{layers} layers on {len(devices)} GPUs are not equally many in {stages} stages"}, sys.stdout)
    sys.exit()

each, gpus = layers // stages, len(devices) // stages
json.dump({"stages": [{"layers": [s * each, (s + 1) * each - 1], "devices": devices[s * gpus:(s + 1) * gpus]} for s in range(stages)],
           "schedule": {"policy": "1f1b"}}, sys.stdout)
