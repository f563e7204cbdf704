"""Loaded artifacts."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from heddle import _runtime
from heddle._arrays import DEFAULTS, EXTENDED, convert, dtype_of
from heddle.state import State
from heddle.submission import Submission, seconds, truly_sized, will_finish


def _path(path: str | os.PathLike) -> bytes:
    """A path as the C interface takes it, which ends at a NUL."""
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError(f"a path cannot hold a NUL: {os.fspath(path)!r}")
    return encoded


def _by_name(what: str, given: Any, wanted: str) -> dict[str, Any]:
    """An argument that holds something for each of several names; None holds nothing."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} is a {type(given).__qualname__}; a dictionary {wanted} is wanted")
    return dict(given)


class Parts(Sequence):
    """A tensor of a program of several devices in the form that these have it: an array for each rank, by number, of the shape `TensorInfo.part`.
    Calls take it in place of a whole array, and give it for the outputs that their `parts` name. Where the parts of a dimension are rounded up, what
    lies beyond the tensor may hold anything.
    """

    def __init__(self, arrays: Iterable[Any]):
        self._arrays = list(arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __getitem__(self, rank: int) -> Any:
        return self._arrays[rank]

    def __repr__(self) -> str:
        return f"<heddle.Parts of {len(self)} ranks>"


class _Port:
    """An input or output: makes what a caller gives into what the extension takes."""

    def __init__(self, kind: str, info: _runtime.TensorInfo):
        self.info, self.what, self.dtype = info, f"{kind} {info.name!r}", dtype_of(info.dtype)
        # numpy's arrays of ml_dtypes' types do not speak DLPack: they go as integers, and are said to be only bits.
        self.bits = np.dtype(np.uint16 if self.dtype.itemsize == 2 else np.uint8) if info.dtype in EXTENDED else None

    def inward(self, value: Any) -> tuple[Any, bool]:
        """`value`, or a copy where that is needed, and whether only its bits are of the type wanted."""
        if isinstance(value, _runtime.DeviceTensor):
            return value, False
        if not isinstance(value, np.ndarray):
            if hasattr(value, "__dlpack__"):
                try:
                    value = np.from_dlpack(value)
                except (BufferError, RuntimeError, TypeError, ValueError):
                    return value, False  # a type that numpy lacks, or another device: the extension knows more
            else:
                value = self._array(value)
        if value.dtype != self.dtype:
            if value.dtype in DEFAULTS:
                value = convert(value, self.dtype, self.what)
            elif value.dtype.newbyteorder("=") == self.dtype:
                value = value.astype(self.dtype)
            elif value.dtype.hasobject:
                raise self._wrong(value)
        if not (value.flags.c_contiguous and value.flags.aligned):
            value = np.require(value.copy(), requirements=("C", "A"))
        if self.bits is not None and value.dtype == self.dtype:
            return value.view(self.bits), True
        return value, False

    def _array(self, value: Any) -> np.ndarray:
        """Lists, tuples and numbers. They have no type of their own: truth values are numbers, too."""
        try:
            array = np.asarray(value)
        except (TypeError, ValueError) as error:
            raise self._wrong(value) from error
        if array.dtype.kind not in "biufc" and array.dtype != self.dtype:
            raise self._wrong(value)
        if not isinstance(value, (np.generic, memoryview, bytes, bytearray)) and array.dtype != self.dtype:
            if array.dtype.kind == "b":
                array = array.astype(np.int64)
            if not array.size:
                array = array.astype(self.dtype)
        return array

    def _wrong(self, value: Any) -> TypeError:
        return TypeError(f"{self.what} is given a {type(value).__qualname__}; an array of {self.info.dtype}, or a list of numbers, is wanted")

    def outward(self, value: Any) -> tuple[Any, bool]:
        """Memory to write to, and whether only its bits are of the type wanted."""
        if isinstance(value, _runtime.DeviceTensor):
            return value, False
        if isinstance(value, np.ndarray):
            if not value.flags.writeable:
                raise ValueError(f"{self.what} cannot be written to: the array is read-only")
            if self.bits is not None and value.dtype == self.dtype and value.flags.c_contiguous:
                return value.view(self.bits), True
            return value, False
        if not hasattr(value, "__dlpack__"):
            raise TypeError(f"{self.what} is given a {type(value).__qualname__}; an array to write to is wanted")
        # DLPack's first version does not tell what is immutable, as arrays of jax are; the buffer does.
        try:
            immutable = memoryview(value).readonly
        except (TypeError, ValueError, BufferError):
            immutable = False
        if immutable:
            raise ValueError(f"{self.what} cannot be written to: a {type(value).__qualname__} is immutable; give a numpy array")
        return value, False


def _adapt(name: str, function: Callable[..., Any]) -> Callable[..., None]:
    """What the extension calls: arrays in, arrays out, each checked, copied into the memory of the call."""
    if not isinstance(name, str) or "\0" in name:
        raise TypeError(f"{name!r} is no name of a custom call")
    if not callable(function):
        raise TypeError(f"custom call {name!r} is given a {type(function).__qualname__}; a function is wanted")

    def call(operands: Sequence[tuple[np.ndarray, str]], results: Sequence[tuple[np.ndarray, str]], attributes: dict[str, Any]) -> None:
        # Copies: the memory is the model's, and the function may keep what it is given.
        values = function(*(memory.view(dtype_of(dtype)).copy() for memory, dtype in operands), **attributes)
        if values is None:
            values = ()
        elif not isinstance(values, (tuple, list)):
            values = (values,)
        if len(values) != len(results):
            raise ValueError(f"gave {len(values)} results, the model wants {len(results)}")
        for number, (value, (memory, dtype)) in enumerate(zip(values, results)):
            value, wanted = np.asarray(value), dtype_of(dtype)
            if value.dtype != wanted or value.shape != memory.shape:
                raise TypeError(f"gave {value.dtype}{list(value.shape)} as result {number}, the model wants {wanted}{list(memory.shape)}")
            np.copyto(memory.view(wanted), value)

    return call


class Model:
    """One entry of a loaded artifact. Call it with its inputs, in order or by name; the result is a dictionary of arrays.

    Several threads may call; one model serves them in turn and releases the interpreter's lock while it computes. For calls at the same time
    load one model per thread: they share the weights' pages. Models of one Group are called one at a time, in the same order by all its processes: a call
    beside another is an error (HEDDLE_CONTEXT_BUSY).
    """

    def __init__(self, program: _runtime.Program, entry: int, threads: int, stage_tensors: bool = False, engine: str = "",
                 group: _runtime.Group | None = None):
        self._program, self._entry, self._threads, self._stages, self._engine = program, entry, threads, stage_tensors, engine
        self._group = group
        self._context = _runtime.Context(program, entry, threads, stage_tensors, engine, group)
        self.inputs: list[_runtime.TensorInfo] = self._context.inputs
        self.outputs: list[_runtime.TensorInfo] = self._context.outputs
        self._inputs = {info.name: _Port("input", info) for info in self.inputs}
        self._outputs = {info.name: _Port("output", info) for info in self.outputs}
        # Whether a call chooses sizes, from shape_min to shape of an input.
        self._chooses = any(info.shape_min != info.shape for info in (*self.inputs, *self.outputs))
        known = _runtime.states(program)
        self._states = {known[number].name: number for number in self._context.states}
        self.states: list[_runtime.TensorInfo] = [known[number] for number in self._states.values()]
        # The sizes of all entries, and of these the ones that calls of this entry have to give.
        self.sizes: list[_runtime.SizeInfo] = _runtime.sizes(program)
        self.given_sizes = [self.sizes[number].name for number in _runtime.given_sizes(program, entry)]
        # The axes of the mesh that the program's ranks lie on, and how many lie along each; none where there is one rank.
        self.mesh: dict[str, int] = dict(program.mesh)
        # What is taken for granted of sizes beyond their ranges: a call of others is refused.
        self.assumptions: list[str] = _runtime.assumptions(program, entry)

    def entry(self, name: str) -> Model:
        """Another entry of the same program, whose states it shares."""
        return Model(self._program, _entry(self._program, name), self._threads, self._stages, self._engine, self._group)

    def state(self, name: str | None = None) -> State:
        """A state of zeros, to be given to calls; `name` may be left out where there is one."""
        if name is None and len(self._states) == 1:
            name = next(iter(self._states))
        if name not in self._states:
            raise ValueError(f"there is no state {name!r}; there are: {', '.join(self._states) or 'none'}")
        return State(self._program, self._states[name])

    @property
    def devices(self) -> list[str]:
        """The devices that the program runs on, the cpu first."""
        return self._program.devices

    @property
    def ranks(self) -> int:
        """How many ranks run the program together: 1, or as many as the mesh has devices."""
        return self._program.ranks

    def part(self, name: str, rank: int) -> tuple[slice, ...]:
        """Which part of an input or output a rank has: x[model.part("x", 2)] is that of rank 2. Where parts are rounded up, it is smaller than
        `TensorInfo.part` at the end of the tensor.
        """
        if isinstance(rank, bool) or not isinstance(rank, numbers.Integral) or not 0 <= rank < self.ranks:
            raise ValueError(f"rank is {rank!r}; a number from 0 to {self.ranks - 1} is wanted")
        for is_input, ports in (True, self._inputs), (False, self._outputs):
            if name in ports:
                begin, inside = self._program.part(self._entry, is_input, list(ports).index(name), int(rank))
                return tuple(slice(first, first + count) for first, count in zip(begin, inside))
        raise ValueError(f"there is no input or output {name!r}; there are: {', '.join([*self._inputs, *self._outputs])}")

    @property
    def threads(self) -> int:
        """How many threads a call uses; of a program of several ranks, each of them."""
        return self._context.threads

    @property
    def target(self) -> str:
        """The target whose code was chosen for this machine."""
        return self._program.variant

    @property
    def precision(self) -> str:
        """Which products have narrower factors than the model says, for people; empty where none was asked for."""
        return self._program.precision

    @property
    def precision_tiers(self) -> str:
        """What is known of the errors of that, a letter each: E, estimated, and V, validated on data (heddle.inspect shows the certificate)."""
        return self._program.precision_tiers

    def arena_bytes(self, sizes: Mapping[str, int] | None = None) -> int:
        """What calls of these sizes need of the process's memory beside their arrays, states and the weights; of a size that is not given, the
        largest."""
        return _runtime.arena_bytes(self._program, self._entry, self._chosen(sizes), self.threads)

    def __repr__(self) -> str:
        return f"<heddle.Model {', '.join(map(repr, self.inputs))} -> {', '.join(map(repr, self.outputs))}>"

    def __call__(self, *args: Any, out: Mapping[str, Any] | None = None, timeout: float | None = None, states: Mapping[str, State] | None = None,
                 sizes: Mapping[str, int] | None = None, parts: Iterable[str] = (), **kwargs: Any) -> dict[str, Any]:
        """Inputs are arrays of numpy, anything else with __dlpack__, tensors of a Device, or lists and numbers. f64, i64 and c128, which is what
        they are when nobody says otherwise, are converted to what the model wants, and what is not contiguous is copied; another type is
        refused, as is another shape. `out` gives memory for outputs by name; results elsewhere take memory of earlier ones that nobody holds
        any more. Where the program computes how large a result is, that is a view of the first part of the memory. `timeout` is in seconds: a call
        looks at no signals, so that Ctrl-C is heard when it is over; that of a call which was submitted ends the wait for it. `states` gives the
        states that the entry uses, by name (see `state`), `sizes` what no input tells (see `given_sizes`). A program of several ranks takes and gives
        whole arrays, which it cuts and joins, or Parts; `parts` names the outputs that come as these. One of a Group takes and gives the arrays of
        this process, of the shapes `TensorInfo.part`.
        """
        results, arguments = self._arguments(args, kwargs, out, states, sizes, parts,
                                             behind=bool(self._states) and self._context.has_unfinished())
        return truly_sized(results, self._context.call(*arguments, seconds(timeout)))

    def submit(self, *args: Any, out: Mapping[str, Any] | None = None, timeout: float | None = None, states: Mapping[str, State] | None = None,
               sizes: Mapping[str, int] | None = None, after: Sequence[Submission] = (), **kwargs: Any) -> Submission:
        """The same call, but it returns at once. What is submitted runs in its order, on a thread of its own, and before what is called later. It
        begins when the calls of `after`, of this model or others, are done; if one of them has failed, it fails the same way. Until it is
        done, arrays that it was given must stay as they are.
        """
        if self.ranks > 1 or self._group is not None:
            raise ValueError(f"the program is run by {self.ranks} ranks, whose calls cannot be submitted yet; call the model instead")
        if isinstance(after, (str, bytes)) or not isinstance(after, Iterable):
            raise TypeError(f"after is a {type(after).__qualname__}; a list of what Model.submit gives is wanted")
        after = list(after)
        for other in after:
            if not isinstance(other, Submission):
                raise TypeError(f"after holds a {type(other).__qualname__}; what Model.submit gives is wanted")
        results, arguments = self._arguments(args, kwargs, out, states, sizes, behind=True)
        will_finish(self._context)
        return Submission(self._context.submit(*arguments, seconds(timeout), [other.native for other in after]), results)

    def _arguments(self, args: Sequence[Any], kwargs: Mapping[str, Any], out: Mapping[str, Any] | None,
                   states: Mapping[str, State] | None, sizes: Mapping[str, int] | None,
                   parts: Iterable[str] = (), behind: bool = False) -> tuple[dict[str, Any], tuple]:
        """The results of a call, and what the extension takes; `behind`: other calls may come before it, and change the lengths of states."""
        given = self._named(args, kwargs)
        out = _by_name("out", out, "of arrays to write to, by the names of outputs,")
        if isinstance(parts, str) or not isinstance(parts, Iterable):
            raise TypeError(f"parts is {parts!r}; a list of the names of outputs is wanted")
        parted = set(parts)
        unknown = (set(out) | parted) - set(self._outputs)
        if unknown:
            raise TypeError(f"there is no output {min(unknown)!r}; there are: {', '.join(self._outputs)}")
        if parted and self._group is not None:
            raise ValueError(f"output {min(parted)!r} is wanted in parts, but each process of a group has its own part alone")
        if parted and self.ranks == 1:
            raise ValueError(f"output {min(parted)!r} is wanted in parts, but the program is run by one rank, which has all of it")
        used = self._used(states) if states is not None or self._states else []
        chosen = self._chosen(sizes) if sizes is not None else []
        inputs = [self._crossing(port, given[name], port.inward) for name, port in self._inputs.items()]
        shapes = [info.shape if self._group is None else info.part for info in self.outputs]
        # What follows a length that is not known yet has memory for the largest, and the call says how much of that it took.
        follows = behind and any(state.dimension >= 0 for state in used)
        open = [follows and info.shape_min != info.shape and info.name not in out for info in self.outputs]
        if self._chooses and not follows:
            shapes = self._context.output_shapes([list(value.shape) for value, _ in inputs], used, chosen)
        results = {name: out[name] if name in out else self._result(port, shape, name in parted)
                   for (name, port), shape in zip(self._outputs.items(), shapes)}
        outputs = [self._crossing(port, results[name], port.outward) for name, port in self._outputs.items()]
        return results, ([value for value, _ in inputs], [value for value, _ in outputs], [bits for _, bits in inputs],
                         [bits for _, bits in outputs], used, chosen, open)

    def _crossing(self, port: _Port, value: Any, convert: Callable[[Any], tuple[Any, bool]]) -> tuple[Any, bool]:
        """What the extension takes for a value, or a list of these for Parts, and whether only the bits are of the type wanted."""
        if not isinstance(value, Parts):
            return convert(value)
        if self._group is not None:
            raise TypeError(f"{port.what} is given Parts, but each process of a group gives its own part alone")
        if self.ranks == 1:
            raise TypeError(f"{port.what} is given Parts, but the program is run by one rank, which takes whole arrays")
        if len(value) != self.ranks:
            raise TypeError(f"{port.what} is given {len(value)} parts; the program is run by {self.ranks} ranks")
        arrays, bits = zip(*map(convert, value))
        if len(set(bits)) > 1:
            raise TypeError(f"{port.what} is given parts of several types")
        return list(arrays), bits[0]

    def _result(self, port: _Port, shape: Sequence[int], in_parts: bool) -> Any:
        if not in_parts:
            return self._allocate(port, shape)
        return Parts(self._allocate(port, port.info.part) for _ in range(self.ranks))

    def _chosen(self, sizes: Mapping[str, int] | None) -> list[int]:
        """A number for each size of the program, -1 for those that are not given."""
        names = [info.name for info in self.sizes]
        chosen = [-1] * len(names)
        for name, size in _by_name("sizes", sizes, "of numbers, by the names of sizes,").items():
            if name not in names:
                raise TypeError(f"there is no size {name!r}; there are: {', '.join(names) or 'none'}")
            if isinstance(size, bool) or not isinstance(size, numbers.Integral) or not 0 <= size < 2**63:
                raise TypeError(f"size {name!r} is given as {size!r}; a number is wanted")
            chosen[names.index(name)] = int(size)
        return chosen

    def _used(self, states: Mapping[str, State] | None) -> list[_runtime.State]:
        states = _by_name("states", states, "of what Model.state gives, by the names of states,")
        for name in states:
            if name not in self._states:
                raise TypeError(f"there is no state {name!r}; there are: {', '.join(self._states) or 'none'}")
            if not isinstance(states[name], State):
                raise TypeError(f"state {name!r} is given a {type(states[name]).__qualname__}; what Model.state gives is wanted")
        for name in self._states:
            if name not in states:
                raise TypeError(f"state {name!r} is missing: Model.state makes one")
        return [states[name].native for name in self._states]

    def _named(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        names = list(self._inputs)
        if len(args) > len(names):
            raise TypeError(f"{len(args)} inputs given, the model has {len(names)}")
        given = dict(zip(names, args))
        for name, value in kwargs.items():
            if name not in self._inputs:
                raise TypeError(f"there is no input {name!r}; there are: {', '.join(names)}")
            if name in given:
                raise TypeError(f"input {name!r} given twice")
            given[name] = value
        for name in names:
            if name not in given:
                raise TypeError(f"input {name!r} is missing")
        return given

    def _allocate(self, port: _Port, shape: Sequence[int]) -> np.ndarray:
        """Memory of earlier results that nobody holds any more, or new."""
        return np.ndarray(shape, port.dtype, self._context.memory(math.prod(shape) * port.dtype.itemsize))


def _entry(program: _runtime.Program, name: str | None) -> int:
    entries = program.entries
    if name is None:
        name = "main" if "main" in entries else entries[0]
    if name not in entries:
        raise ValueError(f"there is no entry {name!r}; there are: {', '.join(entries)}")
    return entries.index(name)


def load(path: str | os.PathLike, *, entry: str | None = None, threads: int = 0, variant: str = "", verify_weights: bool = False,
         custom_calls: Mapping[str, Callable[..., Any]] | None = None, stage_tensors: bool = False, engine: str = "",
         group: _runtime.Group | None = None, precision_tier: str = "") -> Model:
    """Loads an artifact. It holds native code: load only what you trust.

    `custom_calls` are the functions that the model's custom calls call, by name: a function gets an array for each operand and the call's
    attributes as keywords (a textual backend_config as `backend_config`), and returns an array, or a tuple of arrays, of exactly the types
    and shapes that the model says. What it raises ends the call with a HeddleError, as its `__cause__`; what is no Exception, such as
    KeyboardInterrupt, is raised by the call as it is. It may be called on another thread.
    `threads` 0 is as many as this process may use; `variant` names a target instead of the best this machine can run; `verify_weights` also
    checks the weights' hashes. With `stage_tensors` arrays are copied to and from the devices that the program wants its tensors on; without,
    such an input or output must be a tensor of that device (see heddle.devices). `engine` says what the ranks of a program of several devices are:
    "threads", the default, or "processes", each with memory of its own. With `group` they are its processes, which all load the same artifact and
    call the model, each with its own parts. `precision_tier` "E" or "V" refuses a program whose products have narrower factors than the model says,
    unless errors were estimated, or validated on data (heddle.compile(..., precision="auto")).
    """
    if isinstance(threads, bool) or not isinstance(threads, numbers.Integral) or not 0 <= threads <= 4096:
        raise ValueError(f"threads is {threads!r}; a number from 1 to 4096, or 0 for as many as this process may use, is wanted")
    if engine not in ("", "threads", "processes"):
        raise ValueError(f"engine is {engine!r}; threads or processes is wanted")
    if group is not None and engine:
        raise ValueError(f"engine is {engine!r}, but ranks of a group are its processes")
    if not isinstance(variant, str) or "\0" in variant:
        raise ValueError(f"variant is {variant!r}; the name of a target is wanted")
    if precision_tier not in ("", "E", "V"):
        raise ValueError(f"precision_tier is {precision_tier!r}; E or V is wanted")
    functions = {name: _adapt(name, function) for name, function in (custom_calls or {}).items()}
    program = _runtime.Program(_path(path), variant, precision_tier, bool(verify_weights), functions)
    if engine and program.ranks == 1:
        raise ValueError(f"engine is {engine!r}, but the program is run by one rank")
    if engine == "processes" and functions:
        raise ValueError("functions for custom calls cannot run in the processes of ranks; use threads")
    return Model(program, _entry(program, entry), int(threads), bool(stage_tensors), engine, group)
