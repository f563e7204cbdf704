"""Models of several kinds into artifacts."""

from __future__ import annotations

import contextlib
import json
import numbers
import os
import pathlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from heddle._runtime import HeddleError
from heddle.program import _by_name, _path


class CompileError(HeddleError):
    """The model could not be compiled. `code` is that of the first error; `diagnostics` has all, with the nodes of the model they concern."""

    def __init__(self, message: str, code: str = "", diagnostics: Sequence[dict] = ()):
        super().__init__(message)
        self.code, self.diagnostics = code, list(diagnostics)


def _where(diagnostic: dict) -> str:
    nodes = ", ".join(diagnostic.get("nodes", []))
    return f"{nodes}: " if nodes else ""


def _check(outcome: int, document: str) -> dict:
    result = json.loads(document) if document else {}
    if outcome == 0:
        return result
    diagnostics = result.get("diagnostics", [])
    lines = []
    for diagnostic in diagnostics:
        lines.append(f"{_where(diagnostic)}{diagnostic['message']} [{diagnostic.get('code', '')}]")
        lines.extend(f"  {_where(note)}{note['message']}" for note in diagnostic.get("notes", []))
    raise CompileError("\n".join(lines) or f"the compiler ended with {outcome}", diagnostics[0].get("code", "") if diagnostics else "", diagnostics)


@contextlib.contextmanager
def _where_is(model: Any) -> Iterator[tuple[str, Any]]:
    """The model as a path and None, or as a name and bytes; some are written into a folder that goes away."""
    if isinstance(model, (str, os.PathLike)):
        yield os.fsdecode(model), None
    elif isinstance(model, (bytes, bytearray, memoryview)):
        yield "model", model
    elif hasattr(model, "compiler_ir"):  # jax.stages.Lowered
        # With locations: messages then name the functions of the model.
        yield "model.mlir", model.compiler_ir("stablehlo").operation.get_asm(enable_debug_info=True).encode()
    elif hasattr(model, "mlir_module_serialized"):  # jax.export.Exported
        yield "model", bytes(model.serialize())
    elif type(model).__module__.startswith("onnx") and hasattr(model, "graph"):  # onnx.ModelProto
        # Protocol buffers end at 2 GiB; tensors in a file of their own do not.
        if model.ByteSize() < 1 << 31:
            yield "model.onnx", model.SerializeToString()
            return
        import onnx
        with _exported(lambda path: onnx.save_model(model, path, save_as_external_data=True, location="model.weights")) as path:
            yield path, None
    elif type(model).__module__.startswith("torch.export"):  # torch.export.ExportedProgram
        import torch
        with _exported(lambda path: torch.onnx.export(model, f=path, dynamo=True, external_data=True)) as path:
            yield path, None
    else:
        raise TypeError(f"cannot compile a {type(model).__qualname__}: give a path, bytes, an onnx.ModelProto, a jax.stages.Lowered, "
                        "a jax.export.Exported or a torch ExportedProgram")


@contextlib.contextmanager
def _exported(write: Callable[[str], Any]) -> Iterator[str]:
    """A model file that `write` makes, in a folder that goes away."""
    with tempfile.TemporaryDirectory(prefix="heddle-") as folder:
        path = os.path.join(folder, "model.onnx")
        write(path)
        yield path


def _list(value: str | Sequence[str], what: str) -> list[str]:
    """Names; one by itself is a list of one."""
    values = [value] if isinstance(value, str) else list(value)
    for item in values:
        if not isinstance(item, str):
            raise TypeError(f"{what} holds {item!r}; names are wanted")
    return values


def _names(value: str | Sequence[str], what: str) -> list[str]:
    """Names in a list, or between commas as the command line has them."""
    return value.split(",") if isinstance(value, str) and value else _list(value or (), what)


def _size(size: Any, what: str) -> str:
    """A size as the command line has it: 8, "8", "1..8", or a pair (1, 8)."""
    if isinstance(size, str) or isinstance(size, numbers.Integral) and not isinstance(size, bool):
        return str(size)
    if isinstance(size, (tuple, list)) and len(size) == 2 and all(isinstance(end, numbers.Integral) for end in size):
        return f"{size[0]}..{size[1]}"
    raise TypeError(f"{what} is {size!r}; a size, or a range as (1, 8) or \"1..8\", is wanted")


def _items(value: Mapping[str, Any] | None, what: str, example: str) -> list[tuple[str, Any]]:
    return list(_by_name(what, value, f"such as {example}").items())


def _named(value: Mapping[str, Any] | None, what: str, example: str) -> list[tuple[str, str]]:
    """Names, each with another one."""
    items = _items(value, what, example)
    for item in items:
        if not all(isinstance(name, str) for name in item):
            raise TypeError(f"{what} holds {item[0]!r}: {item[1]!r}; names are wanted, as in {example}")
    return items


def _output_of(model: Any, entries: Sequence[tuple[str, Any]]) -> str:
    """The name of an artifact that was given none: that of the model's file, or of the first entry's."""
    if entries:
        model = entries[0][1][0] if isinstance(entries[0][1], tuple) else entries[0][1]
    if not isinstance(model, (str, os.PathLike)):
        raise TypeError("a model that is not a file needs an output path")
    return pathlib.Path(model).with_suffix(".heddle").name


def _entry_models(stack: contextlib.ExitStack, entries: Sequence[tuple[str, Any]]) -> list[tuple[str, tuple]]:
    models = []
    for name, model in entries:
        if not isinstance(name, str):
            raise TypeError(f"an entry is called {name!r}; a name is wanted")
        function = ""
        if isinstance(model, tuple):
            if len(model) != 2 or not isinstance(model[1], str):
                raise TypeError(f"entry {name!r} is {model!r}; a model, or a pair of a model and the name of a function, is wanted")
            model, function = model
        path, memory = stack.enter_context(_where_is(model))
        models.append((name, (_path(path), memory, function)))
    return models


def _mesh_text(mesh: str | Mapping[str, int] | None) -> str:
    """data=4,model=2."""
    if mesh is None or isinstance(mesh, str):
        return mesh or ""
    axes = _items(mesh, "mesh", '{"data": 4, "model": 2}')
    for axis, size in axes:
        if not isinstance(axis, str) or isinstance(size, bool) or not isinstance(size, numbers.Integral):
            raise TypeError(f"mesh holds {axis!r}: {size!r}; names of axes with numbers of devices are wanted, as in {{\"data\": 4}}")
    return ",".join(f"{axis}={size}" for axis, size in axes)


def _sharding_text(name: Any, sharding: Any) -> str:
    """NAME=[{"data"}, {}], from that list as text, or from the axes of each dimension: a name, several, or None."""
    wanted = "[{\"data\"}, {}] as text, or (\"data\", None), is wanted"
    if not isinstance(name, str):
        raise TypeError(f"shardings holds {name!r}: {sharding!r}; names of values are wanted")
    if isinstance(sharding, str):
        if not sharding.lstrip().startswith("["):
            raise TypeError(f"the sharding of {name!r} is {sharding!r}; {wanted}")
        return f"{name}={sharding.lstrip()}"
    if not isinstance(sharding, Iterable):
        raise TypeError(f"the sharding of {name!r} is {sharding!r}; {wanted}")
    dimensions = []
    for axes in sharding:
        axes = () if axes is None else (axes,) if isinstance(axes, str) else axes
        if not isinstance(axes, (tuple, list)) or not all(isinstance(axis, str) and '"' not in axis for axis in axes):
            raise TypeError(f"the sharding of {name!r} is {sharding!r}; {wanted}")
        dimensions.append("{" + ", ".join(f'"{axis}"' for axis in axes) + "}")
    return f"{name}=[{', '.join(dimensions)}]"


def _shards(shardings: Mapping[str, Any] | str | os.PathLike | None) -> list[str]:
    """Shardings by name, or a file of them."""
    if isinstance(shardings, (str, os.PathLike)):
        return [os.fsdecode(_path(shardings))]
    return [_sharding_text(name, sharding) for name, sharding in _items(shardings, "shardings", '{"w1": (None, "model")}')]


def compile(
    model: Any = None,
    output: str | os.PathLike | None = None,
    *,
    targets: str | Sequence[str] = (),
    shapes: Mapping[str, Sequence[int | str | tuple[int, int]]] | None = None,
    dims: Mapping[str, int | str | tuple[int, int]] | None = None,
    binds: Mapping[str, str | os.PathLike] | None = None,
    custom_calls: str | Sequence[str] = (),
    precision: str = "",
    max_error: float = 0,
    calibration: str | os.PathLike = "",
    error_metric: str = "",
    precision_policy: str | os.PathLike = "",
    flush_subnormals: bool = False,
    place: str | Sequence[str] = (),
    place_rules: Mapping[str, str] | None = None,
    place_by: str = "",
    device_tensors: bool = False,
    states: Mapping[str, str] | None = None,
    entries: Mapping[str, Any] | None = None,
    mesh: str | Mapping[str, int] | None = None,
    shardings: Mapping[str, Any] | str | os.PathLike | None = None,
    force: bool = False,
    on_phase: Callable[[str], Any] | None = None,
) -> pathlib.Path:
    """Compiles `model` into an artifact and returns its path.

    A model is a path to .onnx, .mlir or .mlirbc, their bytes, an onnx.ModelProto, a jax.stages.Lowered, a jax.export.Exported, or a torch
    ExportedProgram. Without `output` a path's stem with .heddle is taken; other models need one. `targets` are names as `heddle targets` has
    them, in a list or between commas; without any it is this machine's. `shapes` and `dims` fix what the model leaves open, or bound it: a range, (1, 8) or "1..8", leaves
    the size to each call. `binds` turns inputs into weights: {"params": "params.npz"}. `custom_calls` names functions that custom
    calls may call: they are given to heddle.load. With `precision` "bf16" or "f16" contractions
    and convolutions of f32 multiply numbers rounded to that type, and sum up in f32; with "w8a16" or "w4a16" the weight matrices of such
    contractions become integers of 8 or 4 bits with a scale for each 32 terms of a column, and all else stays f32; with "auto"
    each product gets a type that is modelled to take less time, so that results for the inputs of `calibration`, a file of arrays [samples, ...] or a folder of samples,
    keep to `max_error` (`error_metric`: rel-l2, max-abs, cosine, kl of rows of logits, or top1, the part of rows whose largest element changes) against f32; for other inputs that is estimated, not bounded; `precision_policy` is a file of lines PATTERN TYPE [pin] about nodes. With `flush_subnormals` numbers below the smallest normal one become zeros, which is faster
    where there are many. `place` names devices that share the work, as in ("cpu", "sim:0"); `place_rules` says for nodes whose names match a
    pattern where they run, {"encoder*": "sim:0"}, the first that matches; `place_by` how the rest is spread: parts, first, alternate or
    random:SEED. With `device_tensors` inputs and outputs lie on the devices that alone use them (heddle.load(..., stage_tensors=True) takes arrays
    all the same). `states` are inputs and outputs that calls change and keep, {"past": "present"}: what a call leaves in the output the next one
    finds in the input, and the input's name is the state's. `entries`, instead of `model`, are models that share weights, kernels and states in one
    artifact, {"prefill": model, "decode": ("model.mlir", "step")}, each by itself or with the name of its function; what `shapes`, `dims` and
    `binds` say holds for the entries that have what they name. With `mesh`, {"data": 4, "model": 2}, the model is partitioned over as many devices: a
    StableHLO program, as jax makes it, over its mesh of these axes, and an ONNX model as `shardings` say of some of its values, which lets the others
    follow: {"x": ("data", None), "w*": '[{}, {"model"}]'} names the axes along which each dimension is cut, and may be a file of lines
    `w1: [{}, {"model"}]`. An artifact at `output` is replaced, another file only with `force`, and what is read (the model, weights) never. `on_phase` is called with the name of each phase when that begins; an exception that it raises, and Ctrl-C, end
    the compilation.
    """
    from heddle import _compiler
    entry_items = _items(entries, "entries", '{"prefill": model}')
    if (model is None) == (not entry_items):
        raise TypeError("either a model or entries are wanted, and not both")
    if output is None:
        output = _output_of(model, entry_items)
    shape_texts = []
    for name, shape in _items(shapes, "shapes", '{"input_ids": (1, 128)}'):
        if isinstance(shape, str) or not isinstance(shape, Sequence):
            raise TypeError(f"the shape of {name!r} is {shape!r}; a list of sizes is wanted")
        shape_texts.append(f"{name}={'x'.join(_size(size, f'the shape of {name!r}') for size in shape)}")
    with contextlib.ExitStack() as stack:
        where = None
        if model is not None:
            path, memory = stack.enter_context(_where_is(model))
            where = (_path(path), memory, "")
        outcome = _compiler.compile(
            where, _path(output), _names(targets, "targets"), shape_texts,
            [f"{name}={_size(size, f'dimension {name!r}')}" for name, size in _items(dims, "dims", '{"batch": 8}')],
            [f"{name}=@{os.fsdecode(_path(file))}" for name, file in _items(binds, "binds", '{"params": "params.npz"}')],
            _list(custom_calls, "custom_calls"), precision, float(max_error), os.fsdecode(_path(calibration)) if calibration else "", error_metric,
            os.fsdecode(_path(precision_policy)) if precision_policy else "", bool(flush_subnormals),
            _names(place, "place"),
            [f"{nodes}={device}" for nodes, device in _items(place_rules, "place_rules", '{"encoder*": "sim:0"}')], place_by, bool(device_tensors),
            [f"{past}={present}" for past, present in _named(states, "states", '{"past": "present"}')], _entry_models(stack, entry_items),
            _mesh_text(mesh), _shards(shardings), bool(force), on_phase)
    _check(*outcome)
    return pathlib.Path(output)


def inspect(path: str | os.PathLike) -> dict:
    """What is in a model or an artifact. Nothing is executed."""
    from heddle import _compiler
    return _check(*_compiler.inspect(_path(path)))
