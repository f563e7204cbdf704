#!/usr/bin/env python3
"""Is a certificate of `--precision auto` true?  mixed_precision.py HEDDLE [NAME...]

Networks whose products NumPy computes here, rounded one by one, and small models as torch exports them, within several budgets. Of each
artifact the record is recomputed from itself and the data alone: hashes, E from what single products do, V from calls of the artifact and of the
model compiled in f32. What a product does is NumPy's in those networks, and elsewhere that of an artifact in which a policy pins this product alone.
"""

import hashlib
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import numpy as np

from rounded_networks import SAMPLES, images, network, scale_of

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE / "exporters"))
TARGET = "x86-64-v4-bf16"
HEADER = 128
# A product that is measured in f32 differs from the same in f64 in which neighbours some numbers are rounded to.
EFFECT_TOLERANCE = 0.05
# What a program of bytes computes and what NumPy does with the same integers, of the size of the result: f32 beside f64 rounds some numbers to other bytes.
BYTES_TOLERANCE = 1e-4
# Sums of f32 in another order, as a part of an error that rounding to 8 bits makes.
ORDER_TOLERANCE = 1e-2


def run(heddle, *arguments, exit_code=0):
    done = subprocess.run([heddle, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == exit_code, (arguments, done.returncode, done.stderr)
    return done


class Model:
    """A model file with samples of its inputs, and the options that compile it."""

    def __init__(self, folder, name, file, options, samples):
        self.folder, self.name, self.file, self.options, self.samples = folder, name, file, options, samples
        self.data = folder / f"{name}.npz"
        np.savez(self.data, **samples)

    def compile(self, heddle, *options, exit_code=0):
        artifact = self.folder / f"{self.name}.heddle"
        return artifact, run(heddle, "compile", "-q", self.file, *self.options, "-t", TARGET, "-o", artifact, *options, exit_code=exit_code)

    def budget(self, heddle, error, *options, exit_code=0):
        return self.compile(heddle, "--precision", "auto", "--max-error", error, "--calibration", self.data, *options, exit_code=exit_code)

    def call(self, heddle, artifact, sample):
        np.savez(self.folder / "one.npz", **{name: values[sample] for name, values in self.samples.items()})
        shown = json.loads(run(heddle, "run", artifact, "--inputs", self.folder / "one.npz", "--output", self.folder / "out", "--json").stdout)
        return [np.load(output["file"]).astype(np.float64) for output in shown["outputs"]]


def error(metric, results, exact):
    """Of the worst result that is a float."""
    worst = 0.0
    for result, wanted in zip(results, exact, strict=True):
        if metric == "rel-l2":
            size = np.linalg.norm(result - wanted) / np.linalg.norm(wanted)
        elif metric == "max-abs":
            size = np.abs(result - wanted).max()
        elif metric == "kl":
            p, q = log_softmax(wanted), log_softmax(result)
            size = (np.exp(p) * (p - q)).sum(-1).mean()
        elif metric == "top1":
            size = (result.argmax(-1) != wanted.argmax(-1)).mean()
        else:
            size = 1 - (result.ravel() @ wanted.ravel()) / np.linalg.norm(result) / np.linalg.norm(wanted)
        worst = max(worst, size)
    return worst


def log_softmax(logits):
    shifted = logits - logits.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def magnitude(metric, size):
    """A number whose squares add up: of cosine the angle, of a divergence the root."""
    return {"cosine": lambda: np.arccos(1 - size), "kl": lambda: np.sqrt(size)}.get(metric, lambda: size)()


def size_of(metric, number):
    return {"cosine": lambda: 1 - np.cos(number), "kl": lambda: number ** 2}.get(metric, lambda: number)()


def certificate(heddle, artifact):
    return json.loads(run(heddle, "inspect", artifact, "--precision", "--json").stdout)


def check_hashes(model, artifact, shown, policy=None):
    data = artifact.read_bytes()
    (manifest,) = struct.unpack_from("<Q", data, 24)
    bound = shown["bound_to"]
    assert bound["program"] == hashlib.sha256(data[HEADER:manifest]).hexdigest()
    assert bound["data"] == hashlib.sha256(model.data.read_bytes()).hexdigest()
    assert bound["policy"] == (hashlib.sha256(policy.read_bytes()).hexdigest() if policy else "")
    files = [model.file] + [re.split("=@", model.options[i + 1])[1] for i, option in enumerate(model.options) if option == "--bind"]
    hashes = [hashlib.sha256(pathlib.Path(file).read_bytes()).hexdigest() for file in files]
    assert bound["model"] == (hashes[0] if len(hashes) == 1 else hashlib.sha256("".join(h + "\n" for h in hashes).encode()).hexdigest())
    assert bound["target"] == TARGET


def check_record(heddle, model, artifact, exact, shown):
    """E and V from the record and the data."""
    metric, budget = shown["metric"], shown["max_error"]
    chosen = [product for product in shown["products"] if product["type"] != "f32"]
    for product in shown["products"]:
        assert product["reason"], product
        assert product["magnitude"] == (product["measured"][product["type"]] if product["type"] != "f32" else 0)
        share = (product["magnitude"] / (magnitude(metric, budget) / 1.25)) ** 2
        assert np.isclose(share, product["budget_share"], rtol=1e-4), product
    total = np.sqrt(sum(product["magnitude"] ** 2 for product in chosen))
    assert np.isclose(shown["estimate"]["independent"], size_of(metric, total), rtol=1e-4, atol=1e-12)
    largest = max([total] + [magnitude(metric, entry["measured"]) for entry in shown["estimate"]["samples"]])
    assert np.isclose(shown["estimate"]["error"], size_of(metric, 1.25 * largest), rtol=1e-4, atol=1e-12)
    for entry in shown["estimate"]["samples"][::2]:
        found = error(metric, model.call(heddle, artifact, entry["sample"]), exact(entry["sample"]))
        assert np.isclose(found, entry["measured"], rtol=1e-3, atol=1e-9), (entry, found)
    assert shown["estimate"]["error"] <= budget * (1 + 1e-9)
    validation, samples = shown["validation"], shown["validation"]["samples"]
    calibration = [entry["sample"] for entry in shown["estimate"]["samples"]]
    assert not set(samples) & set(calibration) and sorted(samples + calibration) == list(range(SAMPLES))
    assert validation["count"] == len(samples) and validation["beyond_budget"] == 0
    errors = validation["errors"]
    assert validation["beyond_estimate"] == sum(e > shown["estimate"]["error"] for e in errors)
    assert validation["max"] == max(errors) <= budget and validation["p99"] == sorted(errors)[int(np.ceil(0.99 * len(errors))) - 1]
    bound = float(re.search(r"at most ([0-9.]+) % of calls", validation["meaning"])[1])
    assert np.isclose(bound, 100 * (1 - (0.05 / 2 ** (validation["tightenings"] + 1)) ** (1 / len(samples))), rtol=5e-3)
    for sample, recorded in list(zip(samples, errors))[::6]:
        found = error(metric, model.call(heddle, artifact, sample), exact(sample))
        assert np.isclose(found, recorded, rtol=1e-3, atol=1e-9), (sample, found, recorded)
    # A row that changes is one of few: of these there is no ratio.
    ratios = [magnitude(metric, entry["measured"]) / magnitude(metric, entry["estimated"]) for entry in shown["estimate"]["samples"]
              if chosen and metric not in ("cosine", "top1")]
    assert all(0.5 <= ratio <= 1.1 for ratio in ratios), ratios
    return len(chosen), len(shown["products"])


def exact_calls(heddle, model):
    artifact, _ = model.compile(heddle)
    kept = model.folder / f"{model.name}-f32.heddle"
    artifact.rename(kept)
    known = {}

    def call(sample):
        if sample not in known:
            known[sample] = model.call(heddle, kept, sample)
        return known[sample]
    return kept, call


def calibration_inputs(model, shown):
    return [model.samples["x"][entry["sample"]] for entry in shown["estimate"]["samples"]]


def first_scales_of(model, shown, compute):
    """Scale and zero point of each layer's first factor, from the ranges over the inputs of the calibration."""
    least, largest = np.zeros(len(shown["products"])), np.zeros(len(shown["products"]))
    for x in calibration_inputs(model, shown):
        met = []
        compute(x, met=met)
        least = np.minimum(least, [value.min() for value in met])
        largest = np.maximum(largest, [value.max() for value in met])
    return [scale_of(*ends) for ends in zip(least, largest)]


def check_effects(model, shown, compute, kind="bf16"):
    """What rounding one product does, by NumPy."""
    inputs = calibration_inputs(model, shown)
    first_scales = first_scales_of(model, shown, compute)
    for i, product in enumerate(shown["products"]):
        assert product["node"] == f"layer{i}/product"
        worst = max(error("rel-l2", [compute(x, {i: kind}, first_scales)], [compute(x)]) for x in inputs)
        assert abs(product["measured"][kind] / worst - 1) < EFFECT_TOLERANCE, (i, product["measured"], worst)


def check_network(heddle, folder):
    made, compute = network(folder)
    model = Model(folder, *made)
    f32, exact = exact_calls(heddle, model)
    artifact, _ = model.budget(heddle, 1e-2)
    shown = certificate(heddle, artifact)
    check_hashes(model, artifact, shown)
    print("network at 1e-2: %d of %d rounded" % check_record(heddle, model, artifact, exact, shown))
    check_effects(model, shown, compute)
    again, _ = model.budget(heddle, 1e-2)
    assert certificate(heddle, again) == shown
    # Less than the two most sensitive products need, then less than any, by the record itself.
    errors = sorted(product["measured"]["bf16"] for product in shown["products"])
    some = 1.3 * np.linalg.norm(errors[:3])
    artifact, _ = model.budget(heddle, some)
    shown = certificate(heddle, artifact)
    print("network at a budget for three: %d of %d rounded" % check_record(heddle, model, artifact, exact, shown))
    assert [product["type"] for product in shown["products"]] == ["f32", "f32", "bf16", "bf16", "bf16"]
    assert "% of the budget, which others use better" in shown["products"][0]["reason"]
    artifact, _ = model.budget(heddle, 1e-9)
    shown = certificate(heddle, artifact)
    print("network at 1e-9: %d of %d rounded" % check_record(heddle, model, artifact, exact, shown))
    assert shown["validation"]["max"] == 0
    for metric, budget in ("max-abs", 0.1), ("cosine", 1e-4), ("kl", 1e-4), ("top1", 0.2):
        artifact, _ = model.budget(heddle, budget, "--error-metric", metric)
        print(f"network, {metric}: %d of %d rounded" % check_record(heddle, model, artifact, exact, certificate(heddle, artifact)))
    check_policies(heddle, folder, model, exact)
    check_silent_calibration(heddle, model)
    check_damage(heddle, model)


def check_weights(heddle, folder):
    """One row, whose products take the time in which their weights are read: the fewer bits of them, the less time and the larger the error."""
    made, compute = network(folder, rows=1)
    model = Model(folder, *made)
    _, exact = exact_calls(heddle, model)
    for budget, kinds in (0.3, {"w4a16"}), (0.03, {"w8a16", "w8a8", "w4a16"}), (3e-3, {"f16", "w8a16", "w8a8", "w4a16"}):
        artifact, _ = model.budget(heddle, budget)
        shown = certificate(heddle, artifact)
        check_hashes(model, artifact, shown)
        print(f"one row at {budget}: %d of %d rounded" % check_record(heddle, model, artifact, exact, shown))
        assert {product["type"] for product in shown["products"]} == kinds, [product["type"] for product in shown["products"]]
        for kind in "w8a16", "w4a16", "w8a8":
            check_effects(model, shown, compute, kind)


def check_bytes(heddle, folder):
    """Products of bytes: scales, errors and results are those that NumPy finds from the data and the weights."""
    pins = "*1/product w8a8 pin\n*3/* f32\n* w8a8\n"
    check_model_of_bytes(heddle, folder, "matrices", network(folder), [(0.05, None), (5e-3, None), (0.05, pins)])
    check_model_of_bytes(heddle, folder, "images", images(folder), [(0.05, None)])


def check_model_of_bytes(heddle, folder, name, made, cases):
    model, compute = Model(folder, *made[0]), made[1]
    _, exact = exact_calls(heddle, model)
    policy = folder / "bytes.txt"
    for budget, rules in cases:
        options = []
        if rules:
            policy.write_text(rules)
            options = ["--precision-policy", policy]
        artifact, _ = model.budget(heddle, budget, *options)
        shown = certificate(heddle, artifact)
        check_hashes(model, artifact, shown, policy if rules else None)
        types = [product["type"] for product in shown["products"]]
        print(f"{name} at {budget}: %d of %d rounded; {' '.join(types)}" % check_record(heddle, model, artifact, exact, shown))
        if not rules:
            check_effects(model, shown, compute, "w8a8")
        first_scales = first_scales_of(model, shown, compute)
        for product, (scale, zero) in zip(shown["products"], first_scales):
            assert ("first_factor" in product) == (product["type"] == "w8a8"), product
            if "first_factor" not in product:
                continue
            found = product["first_factor"]
            assert scale_of(found["least"], found["largest"]) == (np.float32(found["scale"]), found["zero_point"]), found
            assert np.isclose(found["scale"], scale, rtol=1e-5) and abs(found["zero_point"] - zero) <= 1, (found, scale, zero)
        # What was recorded gives the results of the artifact, also for inputs that had no part in it.
        kinds = {i: kind for i, kind in enumerate(types) if kind != "f32"}
        recorded = [(np.float32(product["first_factor"]["scale"]), product["first_factor"]["zero_point"]) if "first_factor" in product else None
                    for product in shown["products"]]
        for sample in shown["validation"]["samples"][:4]:
            wanted = compute(model.samples["x"][sample], kinds, recorded)
            far = error("rel-l2", model.call(heddle, artifact, sample), [wanted])
            assert far < BYTES_TOLERANCE, far


def check_policies(heddle, folder, model, exact):
    policy = folder / "policy.txt"
    policy.write_text("# the first layer stays\nlayer0/* f32\nlayer1/product f16 pin\n*/product bf16\nunused* auto\n")
    artifact, done = model.budget(heddle, 1e-2, "--precision-policy", policy)
    shown = certificate(heddle, artifact)
    check_hashes(model, artifact, shown, policy)
    print("network with a policy: %d of %d rounded" % check_record(heddle, model, artifact, exact, shown))
    assert [product["type"] for product in shown["products"]] == ["f32", "f16", "bf16", "bf16", "bf16"]
    assert shown["products"][0]["reason"] == "line 2 of the policy says f32" and shown["products"][1]["reason"] == "line 3 of the policy pins it"
    assert "line 5: no product is left for the pattern 'unused*'" in done.stderr
    # Pins that the budget does not allow.
    policy.write_text("layer0/product bf16 pin\nlayer1/product bf16 pin\n")
    old = artifact.read_bytes()
    _, done = model.budget(heddle, 1e-6, "--precision-policy", policy, exit_code=4)
    found = re.search(r"error\[HDL-0852\]: the error budget of 1e-06 cannot be met: what the policy pins is estimated at ([0-9.e-]+); "
                      r"the cheapest relaxation: --max-error ([0-9.e-]+), or no pin for layer0/product \(line 1\)", done.stderr)
    assert found, done.stderr
    assert artifact.read_bytes() == old
    artifact, _ = model.budget(heddle, found[2], "--precision-policy", policy)
    print("network with pins, relaxed as it was told: %d of %d rounded" % check_record(heddle, model, artifact, exact, certificate(heddle, artifact)))


def check_silent_calibration(heddle, model):
    """Inputs of the calibration that tell nothing of what rounding does: less of the budget gives the same program, which is not tried again, and all stays in f32."""
    x = model.samples["x"].copy()
    x[::8] = 0
    silent = Model(model.folder, "silent", model.file, model.options, {"x": x})
    artifact, _ = silent.budget(heddle, 1e-5)
    shown = certificate(heddle, artifact)
    assert not any(x[entry["sample"]].any() for entry in shown["estimate"]["samples"])
    assert shown["estimate"]["error"] == 0 and shown["validation"]["max"] == 0 and shown["validation"]["tightenings"] == 1
    assert shown["products"][0]["reason"] == "faster programs were beyond the budget when they were tried", shown["products"][0]["reason"]
    types = [product["type"] for product in shown["products"]]
    print(f"network, calibrated on zeros: {len(types) - types.count('f32')} of {len(types)} rounded")


def check_damage(heddle, model):
    """A byte of a weight that differs from the one that was measured."""
    artifact, _ = model.budget(heddle, 1e-2)
    data = bytearray(artifact.read_bytes())
    data[4096] ^= 1
    artifact.write_bytes(data)
    done = run(heddle, "inspect", artifact, "--precision", exit_code=7)
    assert "HDL-0853]: the certificate is about another program" in done.stderr, done.stderr


def exported(folder, name):
    """A small model with weights that follow from their names, at one size."""
    import onnx
    from weights import complete
    model = complete(HERE / "exporters" / "Inputs" / f"{name}.onnx")
    file = folder / f"{name}.onnx"
    onnx.save(model, file)
    case = json.loads((HERE / "exporters" / "Inputs" / "sizes.json").read_text())[name.split(".")[0]]
    sizes = {size: min(16, row[1]) for size, row in case["sizes"].items()}
    random, samples, used = np.random.default_rng(2), {}, set()
    for value in model.graph.input:
        dims = [d.dim_param or d.dim_value for d in value.type.tensor_type.shape.dim]
        used |= {d for d in dims if isinstance(d, str)}
        shape = [SAMPLES] + [sizes.get(d, d) for d in dims]
        most = case["integers"].get(value.name)
        if most == "mask":
            samples[value.name] = np.ones(shape, np.int64)
        elif most is not None:
            samples[value.name] = random.integers(0, most, shape)
        else:
            samples[value.name] = random.standard_normal(shape).astype(np.float32)
    options = [option for size in sorted(used) for option in ("--dim", f"{size}={sizes[size]}")]
    return Model(folder, name, file, options, samples)


def check_exported(heddle, folder, name):
    model = exported(folder, name)
    _, exact = exact_calls(heddle, model)
    policy = folder / "policy.txt"
    policy.write_text("* bf16 pin\n")
    # Too small for any type to save time: what is rounded is said, and the budget decides whether that may be.
    artifact, _ = model.budget(heddle, 0.2, "--precision-policy", policy)
    shown = certificate(heddle, artifact)
    check_hashes(model, artifact, shown, policy)
    rounded, products = check_record(heddle, model, artifact, exact, shown)
    print(f"{name}: {rounded} of {products} rounded")
    nodes = [product["node"] for product in shown["products"]]
    alone = [i for i, node in enumerate(nodes) if nodes.count(node) == 1 and not set(node) & set("*?")]
    for i in alone[:: max(1, len(alone) // 2)]:
        node = nodes[i].split("+")[-1]
        policy.write_text(f"{node} bf16 pin\n* f32\n")
        artifact, _ = model.budget(heddle, 0.2, "--precision-policy", policy)
        one = certificate(heddle, artifact)
        assert [product["type"] for product in one["products"]].count("bf16") == 1
        worst = max(error("rel-l2", model.call(heddle, artifact, entry["sample"]), exact(entry["sample"])) for entry in one["estimate"]["samples"])
        recorded = shown["products"][i]["measured"]["bf16"]
        assert abs(recorded / worst - 1) < ORDER_TOLERANCE, (node, recorded, worst)
        print(f"  {node}: alone as it was measured")
    check_single_bytes(heddle, folder, model, [nodes[i].split("+")[-1] for i in alone])


def check_single_bytes(heddle, folder, model, nodes):
    """A product of bytes does what the instrumented program said, which multiplies in f32 what bytes stand for."""
    policy, checked = folder / "policy.txt", 0
    for node in nodes:
        policy.write_text(f"{node} w8a8 pin\n* f32\n")
        artifact = folder / f"{model.name}.heddle"
        done = subprocess.run([heddle, "compile", "-q", model.file, *model.options, "-t", TARGET, "-o", artifact, "--force", "--precision", "auto", "--max-error", "0.5",
                               "--calibration", model.data, "--precision-policy", policy], capture_output=True, text=True)
        if done.returncode:
            assert done.returncode == 2 and "whose second factor is no weight that kernels read so" in done.stderr, done.stderr
            continue
        for entry in certificate(heddle, artifact)["estimate"]["samples"]:
            assert abs(entry["measured"] / entry["estimated"] - 1) < ORDER_TOLERANCE, (node, entry)
        checked += 1
        if checked == 2:
            break
    assert checked
    print(f"  {checked} products of bytes: as they were measured")


def main():
    heddle, *names = sys.argv[1:]
    for name in names or ["network"]:
        with tempfile.TemporaryDirectory() as folder:
            if name == "network":
                check_network(heddle, pathlib.Path(folder))
            elif name == "weights":
                check_weights(heddle, pathlib.Path(folder))
            elif name == "bytes":
                check_bytes(heddle, pathlib.Path(folder))
            else:
                check_exported(heddle, pathlib.Path(folder), name)
    print("all certificates are true")


if __name__ == "__main__":
    main()
