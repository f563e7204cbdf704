"""LinearAttention and CausalConvWithState with all their rules, states and types, of open lengths, and TfIdfVectorizer. Against onnx.reference.

    recurrent_attention.py FOLDER
"""

import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

RANDOM = np.random.default_rng(5)
KINDS = {"float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT16, "int64": TensorProto.INT64}


def heddle(*arguments):
    return subprocess.run(["heddle", *map(str, arguments)], capture_output=True, text=True)


def numbers(*shape, kind="float32"):
    return (RANDOM.random(shape) - 0.5).astype(kind)


def attention(rule, batch, length, heads, groups, size, width, decay=0, beta=0, past=False, kind="float32", **attributes):
    """`decay` is its last extent, `beta` that of the update rate; 0 is none."""
    feed = {"q": numbers(batch, length, heads * groups * size, kind=kind), "k": numbers(batch, length, heads * size, kind=kind),
            "v": numbers(batch, length, heads * width, kind=kind)}
    if past:
        feed["s"] = numbers(batch, heads, size, width, kind=kind)
    if decay:
        feed["d"] = -np.abs(numbers(batch, length, decay, kind=kind))
    if beta:
        feed["b"] = np.abs(numbers(batch, length, beta, kind=kind))
    names = [name if name in feed else "" for name in "qkvsdb"]
    node = helper.make_node("LinearAttention", names, ["y", "t"], q_num_heads=heads * groups, kv_num_heads=heads, update_rule=rule, **attributes)
    return node, feed


def convolution(batch, channels, length, window, bias=False, past=False, kind="float32", **attributes):
    feed = {"x": numbers(batch, channels, length, kind=kind), "w": numbers(channels, 1, window, kind=kind)}
    if bias:
        feed["b"] = numbers(channels, kind=kind)
    if past:
        feed["p"] = numbers(batch, channels, window - 1, kind=kind)
    return helper.make_node("CausalConvWithState", [name if name in feed else "" for name in "xwbp"], ["y", "t"], **attributes), feed


def frequencies(rows, length, mode, skipped, places=range(11), **attributes):
    """Eleven n-grams of one to three tokens."""
    pool = [2, 3, 5, 7, 2, 3, 3, 5, 5, 5, 1, 2, 2, 3, 5, 3, 5, 7, 1, 2, 3]
    weights = [0.5 + i for i in range(11)]
    node = helper.make_node("TfIdfVectorizer", ["x"], ["y"], mode=mode, min_gram_length=1, max_gram_length=3, max_skip_count=skipped, weights=weights,
                            pool_int64s=pool, ngram_counts=[0, 4, 12], ngram_indexes=list(places), **attributes)
    return node, {"x": RANDOM.integers(1, 8, (rows, length) if rows else (length,))}


CASES = {
    "linear": attention("linear", 2, 5, 2, 1, 4, 3),
    "gated": attention("gated", 1, 7, 3, 2, 4, 5, decay=3, past=True),
    "gated_keys": attention("gated", 2, 4, 2, 1, 3, 6, decay=6, scale=0.25),
    "delta": attention("delta", 1, 6, 1, 4, 5, 5, beta=1, past=True),
    "gated_delta": attention("gated_delta", 2, 9, 2, 2, 4, 4, decay=8, beta=2, past=True),
    "one_step": attention("gated_delta", 2, 1, 2, 1, 8, 8, decay=2, beta=1, past=True),
    "half": attention("gated_delta", 1, 5, 2, 1, 4, 4, decay=2, beta=2, past=True, kind="float16"),
    "plain": convolution(2, 5, 9, 4),
    "stated": convolution(1, 7, 3, 4, bias=True, past=True, activation="silu"),
    "short": convolution(2, 3, 1, 3, past=True, activation="swish"),
    "narrow": convolution(2, 3, 6, 1, bias=True),
    "half_convolution": convolution(2, 4, 6, 3, bias=True, past=True, kind="float16", activation="silu"),
    "counts": frequencies(0, 12, "TF", 0),
    "skipping": frequencies(3, 14, "TF", 4, places=[3, 0, 4, 1, 9, 5, 2, 8, 6, 11, 7]),
    "weighted": frequencies(2, 11, "TFIDF", 2),
    "found": frequencies(4, 9, "IDF", 1),
}
# Names of dimensions that calls choose, by input.
OPEN = {
    "gated_delta": {name: [None, "length", None] for name in "qkvdb"},
    "stated": {"x": ["batch", None, "length"], "p": ["batch", None, None]},
    "weighted": {"x": ["rows", None]},
}


def check(folder, name, node, feed, opened):
    def shape(key):
        return [symbol or size for symbol, size in zip(opened.get(key, [None] * 9), feed[key].shape)]

    kind = KINDS[str(next(iter(feed.values())).dtype)]
    values = [helper.make_tensor_value_info(key, KINDS[str(value.dtype)], shape(key)) for key, value in feed.items()]
    outputs = [helper.make_tensor_value_info(key, TensorProto.FLOAT if node.op_type == "TfIdfVectorizer" else kind, None) for key in node.output]
    model = helper.make_model(helper.make_graph([node], "g", values, outputs), opset_imports=[helper.make_opsetid("", 27)], ir_version=11)
    path, artifact = folder / f"{name}.onnx", folder / f"{name}.heddle"
    onnx.save(model, path)
    symbols = sorted({symbol for each in opened.values() for symbol in each if symbol})
    options = [word for symbol in symbols for word in ("--dim", f"{symbol}=1..12")]
    np.savez(folder / "feed.npz", **feed)
    out = folder / name
    compiled = heddle("compile", "-q", path, *options, "-o", artifact)
    run = heddle("run", "-q", artifact, "--inputs", folder / "feed.npz", "--output", out)
    compared = heddle("compare", "-q", path, *options, "--inputs", folder / "feed.npz")
    wrong = [f"{name}: {each.stdout}{each.stderr}" for each in (compiled, run, compared) if each.returncode]
    if wrong:
        return wrong
    # Half precision rounds results once here, and each step there.
    rounding = 4e-3 if kind == TensorProto.FLOAT16 else 2e-6
    for key, value in zip(node.output, ReferenceEvaluator(model).run(None, feed)):
        found = np.load(out / f"{key}.npy")
        if found.shape != value.shape or found.dtype != value.dtype or not np.allclose(found, value, rtol=rounding, atol=rounding):
            wrong.append(f"{name}: {key} is {found.tolist()}, not {value.tolist()}")
    return wrong


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    wrong = [message for name, (node, feed) in CASES.items() for message in check(folder, name, node, feed, {})]
    wrong += [message for name, opened in OPEN.items() for message in check(folder, f"{name}_open", *CASES[name], opened)]
    print("\n".join(wrong))
    print(f"{len(wrong)} wrong of {len(CASES) + len(OPEN)}")


if __name__ == "__main__":
    main()
