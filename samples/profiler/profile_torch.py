#!/usr/bin/env python3
"""Measures a PyTorch network layer by layer and writes Stagecraft's layer profile.

    python3 profile_torch.py --model torchvision:resnet50 --batch 8,1,4 --out resnet50.profile.json
    python3 profile_torch.py --module my_network.py:Net --input 3x32x32 --batch 16 --out net.profile.json
    python3 profile_torch.py --module gpt.py:build --input tokens:128:50257 --device cuda --out gpt.json

A network that is an nn.Sequential is cut between its members. Any other is traced (torch.fx) and cut wherever
one tensor alone is needed further down, or after the modules that --cuts names. From Python:

    import profile_torch
    profile = profile_torch.measure(network, lambda batch: torch.randn(batch, 3, 32, 32), batches=[16, 4])
"""

import argparse
import contextlib
import datetime
import importlib
import importlib.util
import json
import os
import pathlib
import platform
import statistics
import sys
import time

if "--threads" in sys.argv[:-1]:  # the libraries below PyTorch read this when they are loaded
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ.setdefault(library + "_NUM_THREADS", sys.argv[sys.argv.index("--threads") + 1])

import torch
from torch import fx, nn


class Refused(Exception):
    """What a person asked for cannot be measured; the message says why and what would do."""


# --- Layers: a network as a chain ---------------------------------------------------------------------------


def layers_of(network, sample, cuts=None):
    """The network as a list of (name, module), each fed with what the one before it returns.

    sample: a microbatch, of two samples or more; cuts: names of modules after which to cut; None: wherever
    one tensor alone is needed further down.
    """
    if isinstance(network, nn.Sequential) and not cuts:
        pieces = list(_members(network, ""))
    else:
        pieces = _traced_pieces(network, cuts)
    joined = _joined(pieces, sample)
    return list(zip(_names([targets for targets, _ in joined]), [module for _, module in joined]))


def _members(sequence, prefix):
    for name, module in sequence.named_children():
        if isinstance(module, nn.Sequential):
            yield from _members(module, prefix + name + ".")
        else:
            yield [f"{prefix}{name} {type(module).__name__}"], module


def _traced_pieces(network, cuts):
    try:
        graph = fx.Tracer().trace(network)
    except Exception as problem:  # torch.fx raises many kinds, each with its own story
        raise Refused(f"torch.fx cannot trace this network ({problem}); "
                      "make it an nn.Sequential") from problem
    inputs = [node for node in graph.nodes if node.op == "placeholder" and node.users]
    if len(inputs) != 1:
        raise Refused(f"the network takes {len(inputs)} inputs; one tensor can be measured")
    body = [node for node in graph.nodes if node.op not in ("placeholder", "output", "get_attr")]
    returned = next(node for node in graph.nodes if node.op == "output").args[0]
    if not isinstance(returned, fx.Node):
        raise Refused("the network returns several values; one tensor can be measured")
    segments = _segments(body, inputs[0], returned, cuts)
    return [(_targets(segment[0]), _module_of(network, graph, *segment)) for segment in segments]


def _targets(part):
    return [node.target for node in part if node.op == "call_module"] or [part[0].name]


def _segments(body, entry, returned, cuts):
    """(nodes, what enters, what leaves) of each layer, in order."""
    position = {node: index for index, node in enumerate(body)}
    last_use = {node: max([position.get(user, len(body)) for user in node.users], default=-1)
                for node in [entry, *body]}
    ends = None if cuts is None else {_last_call(body, name): name for name in cuts}
    segments, part, alive, enters = [], [], {entry}, entry
    for index, node in enumerate(body):
        part.append(node)
        alive = {value for value in alive | {node} if last_use[value] > index}
        if index + 1 == len(body):
            segments.append((part, enters, returned))
        elif (ends is None or index in ends) and len(alive) == 1:
            leaves = next(iter(alive))
            segments.append((part, enters, leaves))
            part, enters = [], leaves
        elif ends and index in ends:
            raise Refused(f"after '{ends[index]}' {len(alive)} values are needed further down; "
                          "a chain can be cut where there is one")
    return segments


def _last_call(body, name):
    calls = [index for index, node in enumerate(body)
             if node.op == "call_module" and _within(node.target, name)]
    if not calls:
        raise Refused(f"no module '{name}' to cut after")
    return calls[-1]


def _module_of(network, graph, part, enters, leaves):
    piece, copies = fx.Graph(), {}
    copies[enters] = piece.placeholder("x")
    for node in graph.nodes:
        if node.op == "get_attr" and any(user in part for user in node.users):
            copies[node] = piece.node_copy(node, lambda n: copies[n])
    for node in part:
        copies[node] = piece.node_copy(node, lambda n: copies[n])
    piece.output(copies[leaves])
    return fx.GraphModule(network, piece)


def _joined(pieces, sample):
    """Pieces whose output lies where their input lay (views, in-place activations) join the one before."""
    joined = []
    with torch.no_grad():
        for targets, module in pieces:
            before = _storages(sample)
            try:
                sample = _call(module, sample)
            except (RuntimeError, IndexError, TypeError, ValueError) as problem:
                raise Refused(f"{targets[0]} does not take what it is given: {problem}") from problem
            if joined and before & _storages(sample):
                joined[-1][0].extend(targets)
                joined[-1][1].append(module)
            else:
                joined.append((targets, nn.Sequential(module)))
    return joined


def _names(targets):
    """The part of the network that a layer is ("layer1.0"), or its first and last module."""
    names = []
    for index, mine in enumerate(targets):
        words = mine[0].split(".")
        while words and not all(_within(target, ".".join(words)) for target in mine):
            words.pop()
        scope = ".".join(words)
        others = [t for at, theirs in enumerate(targets) if at != index for t in theirs]
        alone = scope and not any(_within(target, scope) for target in others)
        names.append(scope if alone else f"{mine[0]}…{mine[-1]}")
    return names


def _within(target, scope):
    return target == scope or target.startswith(scope + ".")


# --- Measuring ----------------------------------------------------------------------------------------------


class Clock:
    """Seconds that a call takes: CUDA events on a GPU, a monotonic clock elsewhere."""

    def __init__(self, device):
        self.cuda = device.type == "cuda"

    def time(self, call):
        if not self.cuda:
            start = time.perf_counter_ns()
            result = call()
            return (time.perf_counter_ns() - start) / 1e9, result
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        start.record()
        result = call()
        end.record()
        torch.cuda.synchronize()
        return start.elapsed_time(end) / 1e3, result


def _tensors(value):
    return [t for t in (value if isinstance(value, (tuple, list)) else [value]) if torch.is_tensor(t)]


def _bytes(value):
    return sum(t.numel() * t.element_size() for t in _tensors(value))


def _storages(value):
    return {_storage(t) for t in _tensors(value)}


def _storage(tensor):
    storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()
    return storage.data_ptr()


def _storage_bytes(tensor):
    if hasattr(tensor, "untyped_storage"):
        return tensor.untyped_storage().nbytes()
    return tensor.storage().nbytes()


def _received(value):
    """What the layer before has sent, as the start of a graph of its own."""
    def fresh(tensor):
        tensor = tensor.detach()
        return tensor.requires_grad_() if tensor.is_floating_point() else tensor
    return tuple(fresh(t) for t in value) if isinstance(value, (tuple, list)) else fresh(value)


def _call(module, value):
    return module(*value) if isinstance(value, tuple) else module(value)


class LayerMeasurement:
    """Times in seconds, one entry a repetition; sizes in bytes."""

    def __init__(self, name):
        self.name = name
        self.forward, self.backward, self.weight_gradient = [], [], []
        self.parameter_bytes = self.output_bytes = self.gradient_bytes = self.stored_bytes = 0

    def add(self, forward, backward, weight_gradient):
        self.forward.append(forward)
        self.backward.append(backward)
        self.weight_gradient.append(weight_gradient)


def _time_layer(module, received, is_first, clock):
    """Seconds of one forward, one backward, and the part of the backward that is weight gradient."""
    weights = [p for p in module.parameters() if p.requires_grad]
    inputs = [] if is_first else [t for t in _tensors(received) if t.requires_grad]
    forward, output = clock.time(lambda: _call(module, received))
    outputs = [t for t in _tensors(output) if t.requires_grad]
    gradients = [torch.randn_like(t) for t in outputs]

    def backward(wanted):
        if not outputs or not wanted:
            return 0.0
        return clock.time(lambda: torch.autograd.grad(
            outputs, wanted, gradients, retain_graph=True, allow_unused=True))[0]

    both = backward(inputs + weights)
    passed_on = backward(inputs) if weights else both
    return forward, both, min(max(both - passed_on, 0.0), both)


def _measure_sizes(layers, sample):
    """What each layer sends and keeps, in one pass through the whole chain.

    A kept tensor counts once by the storage that it lies in; weights do not count. What a layer keeps of its
    own output although the next layer keeps it as its input counts there alone.
    """
    weights = {_storage(p) for _, module in layers for p in module.parameters()}
    held, kept, sent, gradients = [], [], [], []
    value = sample
    for _, module in layers:
        stored = {}

        def keep(tensor):
            held.append(tensor)  # alive to the end, so that no storage's address is used twice
            if _storage(tensor) not in weights:
                stored[_storage(tensor)] = _storage_bytes(tensor)
            return tensor

        received = value if value is sample else _received(value)
        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            output = _call(module, received)
        held.append(output)
        kept.append(stored)
        sent.append((_storages(output), _bytes(output)))
        gradients.append(_bytes([t for t in _tensors(output) if t.requires_grad]))
        value = output
    for index in range(len(layers) - 1):
        for storage in sent[index][0] & kept[index + 1].keys():
            kept[index].pop(storage, None)
    return [(sum(k.values()), s[1], g) for k, s, g in zip(kept, sent, gradients)]


def _measure_size(layers, sample, clock, warmup, repeats, say):
    """One LayerMeasurement per layer for the microbatch that `sample` is.

    A repetition goes through the whole network, so that caches are as they are in training and a disturbance
    of the machine hits many layers once and none in all of its repetitions.
    """
    measurements, received, counted, value = [], [], set(), sample
    for (name, module), size in zip(layers, _measure_sizes(layers, sample)):
        result = LayerMeasurement(name)
        result.stored_bytes, result.output_bytes, result.gradient_bytes = size
        own = [p for p in module.parameters() if id(p) not in counted]
        counted.update(id(p) for p in own)
        result.parameter_bytes = sum(p.numel() * p.element_size() for p in own)
        measurements.append(result)
        received.append(value if value is sample else _received(value))
        with torch.no_grad():
            value = _call(module, received[-1])
    for repetition in range(warmup + repeats):
        for index, (_, module) in enumerate(layers):
            times = _time_layer(module, received[index], index == 0, clock)
            if repetition >= warmup:
                measurements[index].add(*times)
    for index, result in enumerate(measurements):
        say(f"{index:4} {result.name:32.32} {_told(result.forward)} {_told(result.backward)} "
            f"{result.stored_bytes / 2**20:9.2f} MiB kept")
    return measurements


def _told(times):
    return f"{statistics.median(times) * 1e3:10.3f} ms ±{_spread(times) * 50:5.1f} %"


def _spread(times):
    """The distance between the quartiles in units of the median."""
    if len(times) < 2 or statistics.median(times) == 0:
        return 0.0
    quarters = statistics.quantiles(times, n=4, method="inclusive")
    return (quarters[2] - quarters[0]) / statistics.median(times)


# --- The profile --------------------------------------------------------------------------------------------


def _seconds(times):
    return round(statistics.median(times), 9)


def _times(layer):
    backward = _seconds(layer.backward)
    return {"forward_s": _seconds(layer.forward), "backward_s": backward,
            "weight_gradient_s": min(_seconds(layer.weight_gradient), backward)}


def _times_at(size, layers):
    """A column of each time, one entry per layer."""
    rows = [_times(layer) for layer in layers]
    return {"microbatch_size": size, **{field: [row[field] for row in rows] for field in rows[0]}}


def _layer(layer):
    times = _times(layer)
    return {"name": layer.name, "forward_s": times["forward_s"], "backward_s": times["backward_s"],
            "parameter_bytes": layer.parameter_bytes, "output_bytes": layer.output_bytes,
            "output_gradient_bytes": layer.gradient_bytes, "stored_activation_bytes": layer.stored_bytes,
            "weight_gradient_s": times["weight_gradient_s"]}


def _machine(device):
    if device.type == "cuda":
        return f"{torch.cuda.get_device_name(device)}, CUDA {torch.version.cuda}"
    model = platform.machine()
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass  # not Linux: the architecture has to do
    threads = torch.get_num_threads()
    return f"{model} (CPU), {threads} thread{'' if threads == 1 else 's'}"


def _versions():
    told = f"PyTorch {torch.__version__}, Python {platform.python_version()}"
    if "torchvision" in sys.modules:
        told = f"torchvision {sys.modules['torchvision'].__version__}, " + told
    return told


def _source(what, device, dtype, by_size, warmup, repeats):
    spreads = [(max(_spread(layer.forward), _spread(layer.backward)), layer.name)
               for layers in by_size.values() for layer in layers]
    worst = max(spreads)
    sizes = ", ".join(str(size) for size in by_size)
    return (
        f"Measured: {what} on {_machine(device)}, {str(dtype).removeprefix('torch.')}; {_versions()}; "
        f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}. Microbatches of {sizes} random samples. "
        f"Layer by layer, the median of {repeats} passes after {warmup} that do not count, "
        f"{'CUDA events' if device.type == 'cuda' else 'a monotonic clock'}. "
        f"Distance between the quartiles of a layer's times: typically "
        f"{statistics.median(s for s, _ in spreads) * 100:.1f} % of the median, at most {worst[0] * 100:.1f} % "
        f"({worst[1]}). Backward with a random gradient, without a loss; the weight gradient is what the whole "
        "backward takes longer than the input gradient alone, and in the first layer all of it. Stored "
        "activations are the tensors that autograd saves, once by storage, without parameters; a tensor that "
        "two layers in a row save counts with the one that reads it.")


def measure(network, make_input, batches=(1,), cuts=None, name="network", what=None, device="cpu", dtype=None,
            warmup=3, repeats=11, say=lambda line: None):
    """The layer profile of a network as a dictionary that json.dump writes.

    make_input(batch) returns one microbatch. The profile is for batches[0]; the times at the other sizes come
    along. Raises Refused.
    """
    device, dtype = torch.device(device), dtype or torch.get_default_dtype()
    network = network.to(device=device, dtype=dtype).train()

    def sample(batch):
        made = make_input(batch).to(device)
        return made.to(dtype) if made.is_floating_point() else made

    layers = [(layer, module.train()) for layer, module in layers_of(network, sample(2), cuts)]
    by_size = {}
    for batch in batches:
        say(f"microbatch of {batch}: forward, backward, ± half the distance between the quartiles")
        by_size[batch] = _measure_size(layers, sample(batch), Clock(device), warmup, repeats, say)
    profile = {"format": "stagecraft/profile", "version": 1, "name": name,
               "source": _source(what or name, device, dtype, by_size, warmup, repeats),
               "microbatch_size": batches[0], "element_bytes": torch.empty(0, dtype=dtype).element_size(),
               "layers": [_layer(layer) for layer in by_size[batches[0]]]}
    others = sorted(set(batches) - {batches[0]})
    if others:
        profile["other_sizes"] = [_times_at(size, by_size[size]) for size in others]
    return profile


# --- The command line ---------------------------------------------------------------------------------------


def _from_torchvision(text):
    library, _, name = text.partition(":")
    if library != "torchvision" or not name:
        raise Refused(f"--model cannot be '{text}'; expected torchvision:NAME, as torchvision:resnet50")
    try:
        models = importlib.import_module("torchvision").models
    except ImportError as problem:
        raise Refused("--model needs torchvision (Debian: python3-torchvision)") from problem
    build = getattr(models, name, None)
    if not callable(build):
        raise Refused(f"torchvision has no model '{name}'")
    with_heads = name in ("inception_v3", "googlenet")
    return build(**({"aux_logits": False, "init_weights": False} if with_heads else {}))


def _from_file(text):
    file, _, name = text.rpartition(":")
    if not file or not name:
        raise Refused(f"--module cannot be '{text}'; expected FILE.py:NAME")
    if not pathlib.Path(file).is_file():
        raise Refused(f"no file '{file}'")
    spec = importlib.util.spec_from_file_location("measured_module", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not hasattr(module, name):
        raise Refused(f"{file} defines no '{name}'")
    found = getattr(module, name)
    network = found if isinstance(found, nn.Module) else found()
    if not isinstance(network, nn.Module):
        raise Refused(f"{name} of {file} is no nn.Module and makes none")
    return network


def _input_maker(text):
    try:
        if text.startswith("tokens:"):
            length, vocabulary = (int(word) for word in text.split(":")[1:])
            return lambda batch: torch.randint(vocabulary, (batch, length))
        shape = [int(word) for word in text.split("x")]
        return lambda batch: torch.randn(batch, *shape)
    except ValueError:
        raise Refused(f"--input cannot be '{text}'; expected CxHxW, as 3x224x224, "
                      "or tokens:LENGTH:VOCABULARY") from None


def _batches(text):
    try:
        sizes = [int(word) for word in text.split(",")]
    except ValueError:
        sizes = [0]
    if min(sizes) < 1 or len(set(sizes)) < len(sizes):
        raise Refused(f"--batch cannot be '{text}'; expected sizes that differ, 1 or more, as 8,1,4")
    return sizes


def _arguments(words):
    parser = argparse.ArgumentParser(description="Measures a PyTorch network layer by layer and writes "
                                                 "Stagecraft's layer profile.")
    model = parser.add_mutually_exclusive_group(required=True)
    model.add_argument("--model", metavar="torchvision:NAME", help="a network of torchvision")
    model.add_argument("--module", metavar="FILE.py:NAME", help="an nn.Module of a file, or what makes one")
    parser.add_argument("--out", metavar="F", required=True, help="the profile to write")
    parser.add_argument("--batch", metavar="N[,N…]", default="1",
                        help="samples in a microbatch; the first is the profile's, the others' times come "
                             "along")
    parser.add_argument("--input", metavar="SHAPE", default="3x224x224",
                        help="one sample: CxHxW, or tokens:LENGTH:VOCABULARY (default: %(default)s)")
    parser.add_argument("--cuts", metavar="NAME[,NAME…]", help="modules after which to cut (default: wherever "
                                                               "one tensor alone is needed further down)")
    parser.add_argument("--name", help="of the profile (default: the network's)")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, cuda:1, … (default: %(default)s)")
    parser.add_argument("--dtype", default="float32", choices=["float32", "float16", "bfloat16", "float64"],
                        help="of weights and activations (default: %(default)s)")
    parser.add_argument("--threads", type=int, metavar="N", help="of the CPU (default: PyTorch's choice)")
    parser.add_argument("--warmup", type=int, default=3, metavar="N", help="repetitions that do not count")
    parser.add_argument("--repeats", type=int, default=11, metavar="N", help="repetitions that count")
    arguments = parser.parse_args(words)
    if arguments.warmup < 0 or arguments.repeats < 1:
        parser.error("expected --warmup 0 or more and --repeats 1 or more")
    return arguments


@contextlib.contextmanager
def _made_there(arguments):
    """Weights are made on the GPU and in their type at once, where PyTorch can (2.0): large models fit once."""
    if not arguments.device.startswith("cuda") or not hasattr(torch, "set_default_device"):
        yield
        return
    usual = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, arguments.dtype))
    try:
        with torch.device(arguments.device):
            yield
    finally:
        torch.set_default_dtype(usual)


def _run(arguments):
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    if arguments.device.startswith("cuda") and not torch.cuda.is_available():
        raise Refused("PyTorch sees no GPU here; expected --device cpu")
    torch.manual_seed(0)
    with _made_there(arguments):
        network = _from_torchvision(arguments.model) if arguments.model else _from_file(arguments.module)
    called = (arguments.model or arguments.module).rpartition(":")[2]
    with_library = arguments.model.replace(":", " ") if arguments.model else called
    profile = measure(network, _input_maker(arguments.input), _batches(arguments.batch),
                      arguments.cuts.split(",") if arguments.cuts else None, arguments.name or called,
                      f"{with_library}, input {arguments.input}", arguments.device,
                      getattr(torch, arguments.dtype), arguments.warmup, arguments.repeats,
                      lambda line: print(line, file=sys.stderr))
    target = pathlib.Path(arguments.out)
    beside = target.with_name(target.name + ".part")
    beside.write_text(json.dumps(profile, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    beside.replace(target)


def main(words=None):
    try:
        _run(_arguments(words))
    except Refused as refused:
        print(f"profile_torch: {refused}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
