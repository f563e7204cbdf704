"""Rows of kind "sizes" of test/bench/*.json: an artifact with open sizes beside the artifact made for just each size, and beside peers' dynamic runs.

A row names the model, the ranges of its open sizes ("open") and the sizes to measure ("sizes"). All programs run by turns, each round in another
order. A ratio is the geometric mean of the rounds' own ratios, heddle's time over the other's, with the ends of its 95 % interval. A ratio
falls short of its bar where the whole interval lies above it.

With "states" the caches of a decoder's step are states that grow ("past_*=present_*"), beside steps of one length that are handed their caches; from
an empty cache so many "steps" of given tokens are compared with onnxruntime's.
"""

import json
import math
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

import numpy as np
import onnx
import onnx.shape_inference
from onnx import numpy_helper

TOOLS = pathlib.Path(__file__).resolve().parent

# Ratios to the artifact of one size: of time at each size and their geometric mean, of the arena at each size and at the largest, of compile time,
# its memory and the code. And to peers' times, at each size and their geometric mean.
BARS = {"static": 1.10, "static_mean": 1.05, "peer": 1.05, "peer_mean": 1.00, "arena": 1.25, "arena_at_bound": 1.05, "compile": 3.0}
# Of all steps the largest difference of a logit, relative to the largest logit; and how far the best one must lead for it to be wanted.
STEP_DIFFERENCE, STEP_MARGIN = 1e-5, 1e-4
MOST_ROUNDS, LEAST_ROUNDS = 30, 5
# A round calls a program often enough to take this long.
ROUND_SECONDS = 0.1


def open_batch(model: onnx.ModelProto, path: pathlib.Path) -> None:
    """Gives the inputs and outputs of a model of batch 1 the size "batch" in front."""
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type != "Reshape" or node.input[1] not in constants:
            continue
        for attribute in [attribute for attribute in node.attribute if attribute.name == "allowzero"]:
            node.attribute.remove(attribute)
        shape = numpy_helper.to_array(constants[node.input[1]], str(path.parent)).copy()
        if shape[0] != 1:
            continue
        # -1 is what remains, 0 the operand's extent there.
        shape[0] = 0 if -1 in shape else -1
        constants[node.input[1]].CopyFrom(numpy_helper.from_array(shape, node.input[1]))
    for value in [*model.graph.input, *model.graph.output]:
        value.type.tensor_type.shape.dim[0].dim_param = "batch"


def with_open_batch(path: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """A copy of a model of batch 1 for any "batch"."""
    model = onnx.load(path, load_external_data=False)
    open_batch(model, path)
    return save_opened(model, path, folder)


def image_dims(shape: list[int]) -> tuple[int, int] | None:
    """Height and width of a shape [batch, channels, height, width], if it is one of several points."""
    return tuple(shape[2:]) if len(shape) == 4 and shape[2] * shape[3] > 1 else None


def images_by_size(model: onnx.ModelProto) -> dict[tuple[int, int], str]:
    """The first tensor of each height and width, among inputs and what convolutions and resizing give."""
    inferred = onnx.shape_inference.infer_shapes(model).graph
    shapes = {value.name: [dim.dim_value for dim in value.type.tensor_type.shape.dim]
              for value in [*inferred.input, *inferred.value_info, *inferred.output]}
    names = [value.name for value in model.graph.input]
    names += [node.output[0] for node in model.graph.node if node.op_type in ("Conv", "Resize")]
    images = {}
    for name in names:
        if dims := image_dims(shapes.get(name, [])):
            images.setdefault(dims, name)
    return images


def compute_image_sizes(model: onnx.ModelProto, path: pathlib.Path, images: dict[tuple[int, int], str]) -> None:
    """Where a constant shape of a Reshape ends in height and width of an image of the model, or one of its sizes is the number of the image's points,
    these are computed from the image's shape, as an exporter with dynamic axes writes it."""
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    nodes = list(model.graph.node)
    del model.graph.node[:]
    made = {}

    def add(kind: str, inputs: list[str], output: str, **attributes) -> str:
        if output not in made:
            made[output] = onnx.helper.make_node(kind, inputs, [output], **attributes)
            model.graph.node.append(made[output])
        return output

    def constant(values: list[int]) -> str:
        name = "size_" + "_".join(map(str, values))
        if name not in constants:
            constants[name] = numpy_helper.from_array(np.array(values, np.int64), name)
            model.graph.initializer.append(constants[name])
        return name

    def size_of(image: str, dim: int) -> str:
        return add("Gather", [add("Shape", [image], f"{image}_shape"), constant([dim])], f"{image}_size_{dim}")

    def points_of(image: str) -> str:
        return add("Mul", [size_of(image, 2), size_of(image, 3)], f"{image}_points")

    points = {height * width: image for (height, width), image in images.items()}
    for node in nodes:
        if node.op_type == "Reshape" and node.input[1] in constants:
            shape = numpy_helper.to_array(constants[node.input[1]], str(path.parent)).tolist()
            if image := images.get(image_dims(shape)):
                parts = [*(constant([size]) for size in shape[:2]), size_of(image, 2), size_of(image, 3)]
                node.input[1] = add("Concat", parts, f"{node.input[1]}_open", axis=0)
            elif points.keys() & set(shape):
                parts = [points_of(points[size]) if size in points else constant([size]) for size in shape]
                node.input[1] = add("Concat", parts, f"{node.input[1]}_open", axis=0)
        model.graph.node.append(node)


def with_open_images(path: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """A copy of a model of images for any "batch", "height" and "width". Sizes in it that follow from theirs are computed."""
    model = onnx.load(path, load_external_data=False)
    # Sizes of images are told by the shapes of the model as it is.
    images = images_by_size(model)
    open_batch(model, path)
    compute_image_sizes(model, path, images)
    for value in model.graph.input:
        if image_dims([dim.dim_value for dim in value.type.tensor_type.shape.dim]):
            dims = value.type.tensor_type.shape.dim
            dims[2].dim_param, dims[3].dim_param = "height", "width"
    for value in model.graph.output:
        if image_dims([dim.dim_value for dim in value.type.tensor_type.shape.dim]) in images:
            for dim in value.type.tensor_type.shape.dim[2:]:
                dim.ClearField("value")
    return save_opened(model, path, folder)


def with_open_past(path: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """A copy of a decoder's step whose caches, the inputs "past_..." and outputs "present_...", have the sizes "past" and "total" where they grow."""
    model = onnx.load(path, load_external_data=False)
    inferred = onnx.shape_inference.infer_shapes(model).graph
    shapes = {value.name: [dim.dim_value for dim in value.type.tensor_type.shape.dim] for value in [*inferred.value_info, *inferred.output]}
    values = {value.name: value.type.tensor_type.shape.dim for value in [*model.graph.input, *model.graph.output]}
    for name, dims in values.items():
        if not name.startswith("past_"):
            continue
        for past, present in zip(dims, values[name.replace("past", "present", 1)]):
            if past.dim_value != present.dim_value:
                total = present.dim_value
                past.dim_param, present.dim_param = "past", "total"
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type in ("Reshape", "Expand") and node.input[1] in constants:
            shape = numpy_helper.to_array(constants[node.input[1]], str(path.parent)).copy()
            if total not in shape:
                continue
            # What remains is the open size; of a shape to expand to, what the operand has.
            if node.op_type == "Reshape":
                shape = np.array(shapes[node.output[0]])
            shape[shape == total] = -1 if node.op_type == "Reshape" else 1
            constants[node.input[1]].CopyFrom(numpy_helper.from_array(shape, node.input[1]))
    return save_opened(model, path, folder)


OPENED = {"batch": with_open_batch, "images": with_open_images, "past": with_open_past}


def save_opened(model: onnx.ModelProto, path: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """Writes it into `folder`, with the weights of the model at `path`."""
    del model.graph.value_info[:]
    copy = folder / f"{path.stem}_open.onnx"
    for tensor in model.graph.initializer:
        for entry in tensor.external_data:
            # A link would lead out of the model's folder, where readers do not follow.
            if entry.key == "location" and not (folder / entry.value).exists():
                shutil.copyfile(path.parent / entry.value, folder / entry.value)
    onnx.save(model, copy)
    return copy


def feeds_at(path: pathlib.Path, example: dict, sizes: dict) -> dict:
    """The example's elements, repeated or cut to the shapes that `sizes` give."""
    feeds = {}
    for value in onnx.load(path, load_external_data=False).graph.input:
        if value.name in example:
            dims = value.type.tensor_type.shape.dim
            feeds[value.name] = np.resize(example[value.name], [sizes[dim.dim_param] if dim.dim_param else dim.dim_value for dim in dims])
    return feeds


def compile_model(path: pathlib.Path, artifact: pathlib.Path, sizes: dict, states: str | None = None) -> dict:
    """The seconds and peak bytes of one compilation, and the bytes of the code."""
    options = [f"--dim={name}={size}" for name, size in sizes.items()] + ([f"--state={states}"] if states else [])
    command = [sys.executable, TOOLS / "measure_process.py", "heddle", "compile", path, "-o", artifact, "--quiet", *options]
    measured = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    if measured["status"]:
        raise subprocess.CalledProcessError(measured["status"], ["heddle", "compile", str(path), *options])
    described = subprocess.run(["heddle", "inspect", "--json", artifact], check=True, stdout=subprocess.PIPE)
    measured["code_bytes"] = sum(target["code_bytes"] for target in json.loads(described.stdout)["targets"])
    return measured


def heddle_program(artifact: pathlib.Path, threads: int):
    import heddle
    return heddle.load(artifact, threads=threads)


def onnxruntime_program(path: pathlib.Path, threads: int):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    # Its idle threads would spin while the others are measured.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return lambda feeds: session.run(None, feeds)


def openvino_program(path: pathlib.Path, threads: int):
    import openvino
    settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
    request = openvino.Core().compile_model(str(path), "CPU", settings).create_infer_request()
    return request.infer


def step_at(program, feeds: dict):
    """A call of the program at the length that the caches among `feeds` have: of states each time from there."""
    states = {info.name: program.state(info.name) for info in program.states}
    for name, state in states.items():
        state.write(feeds[name])
    lengths = {name: state.length for name, state in states.items()}
    rest = {name: value for name, value in feeds.items() if name not in states}

    def call():
        for name, state in states.items():
            state.length = lengths[name]
        return program(**rest, states=states)

    return call


def compare_steps(program, path: pathlib.Path, example: dict, count: int) -> dict:
    """Steps from an empty cache with the same tokens here and in onnxruntime: the largest difference of their logits, and how often the best ones
    are the same where the best leads."""
    import onnxruntime
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    logits = next(name for name in names if not name.startswith("present_"))
    states = {info.name: program.state(info.name) for info in program.states}
    caches = {name: value for name, value in feeds_at(path, example, {"past": 0}).items() if name in states}
    random, words = np.random.default_rng(0), program.outputs[0].shape[-1]
    result = {"steps": count, "difference": 0.0, "led": 0, "same": 0}
    for position in range(count):
        tokens = {"ids": random.integers(words, size=(1, 1)), "pos": np.array([[position]])}
        wanted = dict(zip(names, session.run(None, {**tokens, **caches})))
        caches = {name: wanted[name.replace("past", "present", 1)] for name in caches}
        found, best = program(**tokens, states=states)[logits].reshape(-1), wanted[logits].reshape(-1)
        result["difference"] = max(result["difference"], float(abs(found - best).max() / abs(best).max()))
        second, first = np.sort(best)[-2:]
        result["led"] += int(first - second > STEP_MARGIN)
        result["same"] += int(first - second > STEP_MARGIN and found.argmax() == best.argmax())
    return result


PEERS = {"onnxruntime": onnxruntime_program, "openvino": openvino_program}


def measure_rounds(calls: dict, seconds: float) -> dict[str, list[float]]:
    """The seconds of a call, by program and round: as many rounds as fit into `seconds` for each program, within the least and the most."""
    for call in calls.values():
        call(), call()
    begin = time.perf_counter()
    next(iter(calls.values()))()
    repeats = max(1, round(ROUND_SECONDS / (time.perf_counter() - begin)))
    times = {name: [] for name in calls}
    order = list(calls)
    end = time.perf_counter() + seconds * len(calls)
    for number in range(MOST_ROUNDS):
        if number >= LEAST_ROUNDS and time.perf_counter() > end:
            break
        for name in order:
            begin = time.perf_counter()
            for _ in range(repeats):
                calls[name]()
            times[name].append((time.perf_counter() - begin) / repeats)
        order = order[1:] + order[:1]
    return times


def ratio_of(times: list[float], others: list[float]) -> list[float]:
    """[low, mean, high]: the geometric mean of the rounds' ratios within its 95 % interval."""
    logarithms = np.log(np.divide(times, others))
    half = 1.96 * logarithms.std(ddof=1) / math.sqrt(len(logarithms))
    return [float(np.exp(logarithms.mean() + way * half)) for way in (-1, 0, 1)]


def short_of(result: dict) -> list[str]:
    """What falls short of its bar, in words."""
    found = []

    def hold(what: str, low: float, figure: float, bar: float) -> None:
        if low > bar:
            found.append(f"{what} {figure:.3f} (bar {bar})")

    for point in result["points"]:
        for other, (low, mean, _) in point["ratio"].items():
            hold(f"{point['name']} to {other}", low, mean, BARS["static" if other == "static" else "peer"])
        hold(f"{point['name']} arena", point["arena"], point["arena"], BARS["arena_at_bound" if point["is_bound"] else "arena"])
    for other, mean in result["mean"].items():
        hold(f"mean to {other}", mean, mean, BARS["static_mean" if other == "static" else "peer_mean"])
    for what, ratio in result["compile"].items():
        hold(f"compile {what}", ratio, ratio, BARS["compile"])
    if steps := result.get("steps"):
        hold("steps differ by", steps["difference"], steps["difference"], STEP_DIFFERENCE)
        hold("other tokens", steps["led"] - steps["same"], steps["led"] - steps["same"], 0)
    return found


def run_row(row: dict, path: pathlib.Path, example: dict, peers: list[str], seconds: float, folder: pathlib.Path) -> dict:
    if row.get("opened"):
        path = OPENED[row["opened"]](path, folder)
    made = compile_model(path, folder / "open.heddle", row["open"], row.get("states"))
    program = heddle_program(folder / "open.heddle", row["threads"])
    others = {peer: PEERS[peer](path, row["threads"]) for peer in peers}
    result = {"name": row["name"], "missing": [peer for peer in row["peers"] if peer not in peers], "points": []}
    least = {"seconds": math.inf, "peak_bytes": math.inf, "code_bytes": math.inf}
    for sizes in row["sizes"]:
        alone = compile_model(path, folder / "static.heddle", sizes)
        least = {key: min(value, alone[key]) for key, value in least.items()}
        static = heddle_program(folder / "static.heddle", row["threads"])
        feeds = feeds_at(path, example, sizes)
        calls = {"heddle": step_at(program, feeds), "static": step_at(static, feeds)}
        for peer, call in others.items():
            calls[peer] = lambda call=call: call(feeds)
        times = measure_rounds(calls, seconds)
        result["points"].append({
            "name": "x".join(map(str, sizes.values())),
            "seconds": {name: statistics.median(values) for name, values in times.items()},
            "rounds": len(times["heddle"]),
            "ratio": {name: ratio_of(times["heddle"], values) for name, values in times.items() if name != "heddle"},
            "arena": program.arena_bytes(sizes) / static.arena_bytes(),
            "is_bound": all(str(size) == row["open"][name].split("..")[-1].split(":")[0] for name, size in sizes.items()),
        })
    # The least that one size alone takes is the strictest to compare with.
    result["compile"] = {key: made[key] / value for key, value in least.items()}
    result["mean"] = {other: statistics.geometric_mean(point["ratio"][other][1] for point in result["points"]) for other in ("static", *peers)}
    if "steps" in row and "onnxruntime" in peers:
        result["steps"] = compare_steps(program, path, example, row["steps"])
    result["short"] = short_of(result)
    result["within"] = not result["short"]
    return result


def show(result: dict) -> None:
    for point in result["points"]:
        line = f"{result['name']:18} {point['name']:8} {point['seconds']['heddle'] * 1e3:10.2f} ms"
        for other, (low, mean, high) in point["ratio"].items():
            line += f"  {other} {mean:.3f} [{low:.3f}, {high:.3f}]"
        print(f"{line}  arena {point['arena']:.3f}  {point['rounds']} rounds", flush=True)
    for what in ("mean", "compile"):
        print(f"{result['name']:18} {what:8} " + "  ".join(f"{key} {value:.3f}" for key, value in result[what].items()), flush=True)
    if steps := result.get("steps"):
        print(f"{result['name']:18} steps    {steps['steps']} of the same tokens, difference {steps['difference']:.1e}, "
              f"best token the same {steps['same']} of {steps['led']}", flush=True)
    for text in result["short"]:
        print(f"{result['name']:18} falls short: {text}", flush=True)
    for peer in result["missing"]:
        print(f"{result['name']:18} {peer} not installed", flush=True)
