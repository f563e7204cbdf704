"""Models of several kinds into artifacts."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from heddle._runtime import HeddleError


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
def _model_file(model: Any) -> Iterator[str]:
    """The model as a file: as it is, or written into a folder that goes away."""
    if isinstance(model, (str, os.PathLike)):
        yield os.fspath(model)
        return
    with tempfile.TemporaryDirectory(prefix="heddle-") as folder:
        path = pathlib.Path(folder) / "model"
        if isinstance(model, (bytes, bytearray, memoryview)):
            path.write_bytes(model)
        elif hasattr(model, "compiler_ir"):  # jax.stages.Lowered
            path = path.with_suffix(".mlir")
            # With locations: messages then name the functions of the model.
            path.write_text(model.compiler_ir("stablehlo").operation.get_asm(enable_debug_info=True))
        elif hasattr(model, "mlir_module_serialized"):  # jax.export.Exported
            path.write_bytes(model.serialize())
        elif type(model).__module__.startswith("torch.export"):  # torch.export.ExportedProgram
            import torch
            path = path.with_suffix(".onnx")
            torch.onnx.export(model, f=str(path), dynamo=True, external_data=True)
        else:
            raise TypeError(f"cannot compile a {type(model).__qualname__}: give a path, bytes, a jax.stages.Lowered, a jax.export.Exported or "
                            "a torch ExportedProgram")
        yield str(path)


def compile(
    model: Any,
    output: str | os.PathLike | None = None,
    *,
    targets: Sequence[str] = (),
    shapes: Mapping[str, Sequence[int | str]] | None = None,
    dims: Mapping[str, int | str] | None = None,
    binds: Mapping[str, str | os.PathLike] | None = None,
    custom_calls: Sequence[str] = (),
    flush_subnormals: bool = False,
) -> pathlib.Path:
    """Compiles `model` into an artifact and returns its path.

    A model is a path to .onnx, .mlir or .mlirbc, their bytes, a jax.stages.Lowered, a jax.export.Exported, or a torch ExportedProgram. Without
    `output` a path's stem with .heddle is taken; other models need one. `shapes` and `dims` fix what the model leaves open, or bound it: a range
    "1..8" leaves the size to each call. `binds` turns StableHLO arguments into weights: {"params": "params.npz"}. `custom_calls` names functions that custom calls may call: they are given to
    heddle.load. With `flush_subnormals` numbers below the smallest normal one become zeros, which is faster where there are many.
    """
    from heddle import _compiler
    if output is None:
        if not isinstance(model, (str, os.PathLike)):
            raise TypeError("a model that is not a file needs an output path")
        output = pathlib.Path(model).with_suffix(".heddle").name
    with _model_file(model) as path:
        outcome = _compiler.compile(
            path, os.fspath(output), list(targets),
            [f"{name}={'x'.join(map(str, shape))}" for name, shape in (shapes or {}).items()],
            [f"{name}={size}" for name, size in (dims or {}).items()],
            [f"{name}=@{os.fspath(file)}" for name, file in (binds or {}).items()], list(custom_calls),
            flush_subnormals)
    _check(*outcome)
    return pathlib.Path(output)


def inspect(path: str | os.PathLike) -> dict:
    """What is in a model or an artifact. Nothing is executed."""
    from heddle import _compiler
    return _check(*_compiler.inspect(os.fspath(path)))
