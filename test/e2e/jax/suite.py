#!/usr/bin/env python3
"""JAX's functions through heddle, against jax on the CPU: numbers, compile time and run time.

    suite.py [--list] [--share 1/N] [--only GLOB]... [--no-times] [--clock wall|cpu] [--bars] [--report FILE]...

Each case is exported with jax.export, compiled by heddle and run with random inputs. It is right if the largest error against the function's
evaluation in double precision, relative to the largest magnitude of that output, is at most 10 times that of jax's own single precision, plus a
floor of four units in the last place (4.8e-7). Integers and truth values must be equal. The serialized export must give the same bits as the
module's text.

Compile time and run time are the best of several rounds in which jax and heddle take turns in one process; the bar is twice jax's, plus what a
call costs from Python at all (20 us). Both compile for this machine alone: XLA always does, heddle is told to. On a machine with other work,
--clock cpu measures the processor time of all threads, which others change less. --report writes JSON (with all figures), Markdown (a table of
ratios) or text, by the file's suffix.

Cases run in worker processes, so that one that dies is a line in the table, not the end of it. The last line counts; the exit status is 1 if
a case is wrong or a worker died, and with --bars 4 if one is over a bar on time. What heddle refuses is listed with heddle's reason.
"""

import argparse
import collections
import fnmatch
import hashlib
import json
import os
import pathlib
import re
import selectors
import subprocess
import sys
import tempfile
import time
import zlib

FLOOR = 4 * 2.0**-23
CALL_SECONDS = 20e-6
#: A case may take so many times as long as with jax.
BAR = 2
LIMIT_SECONDS = 150


def all_cases():
    import cases
    import control_flow, functions, linear_algebra, models  # noqa: E401,F401 they register themselves
    return cases.ALL


# --- in the worker --------------------------------------------------------------------------------------------------------------------


def flat(tree):
    import jax
    import numpy as np
    return [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]


def same_kind(one, other):
    """Where both are finite, or the same infinity, or both NaN."""
    import numpy as np
    return (np.isfinite(one) & np.isfinite(other)) | (one == other) | (np.isnan(one) & np.isnan(other))


def differences(found, wanted):
    """Of each element, relative to the largest finite magnitude; infinite where the two are not of the same kind."""
    import numpy as np
    finite = np.isfinite(found) & np.isfinite(wanted)
    scale = np.max(np.abs(wanted[np.isfinite(wanted)]), initial=0) or 1
    both = np.where(finite, found, 0), np.where(finite, wanted, 0)
    return np.where(same_kind(found, wanted), np.abs(both[0] - both[1]) / scale, np.inf)


def judge(ours, theirs, exact) -> tuple[str, float]:
    """An explanation if an output is wrong, and the worst ratio of our error to what is allowed.

    Where single precision overflows in jax and double precision does not (or the other way around), ours may be near either; what is allowed
    follows from the other elements."""
    import numpy as np
    worst, reason = 0.0, ""
    for index, (our, their, reference) in enumerate(zip(ours, theirs, exact)):
        if not np.issubdtype(their.dtype, np.inexact):
            different = np.flatnonzero(np.ravel(our) != np.ravel(their))
            if len(different):
                worst = float("inf")
                at = different[0]
                reason = reason or f"output {index}: element {at} is {np.ravel(our)[at]}, jax has {np.ravel(their)[at]}"
            continue
        our, their, reference = (np.ravel(value).astype(np.complex128) for value in (our, their, reference))
        decided = same_kind(their, reference)
        allowed = 10 * np.max(differences(their, reference)[decided], initial=0) + FLOOR
        errors = differences(our, reference)
        error = np.max(np.where(decided, errors, np.minimum(errors, differences(our, their))), initial=0)
        ratio = float(error / allowed)
        if not ratio <= 1:
            reason = reason or f"output {index}: error {error:.1e}, allowed {allowed:.1e}"
        worst = max(worst, ratio)
    return reason, worst


CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


def host_target() -> str:
    """The level of instructions that this machine has, in heddle's words."""
    flags = pathlib.Path("/proc/cpuinfo").read_text().split("flags", 2)[1].split("\n")[0].split()
    return "x86-64-v4" if "avx512vl" in flags else "x86-64-v3" if "avx2" in flags else "x86-64-v2"


def best_by_turns(actions, rounds: int, seconds: float, clock) -> list[float]:
    """The shortest time of each action; they take turns, and short ones are repeated within a turn."""
    repeats = []
    for action in actions:
        start = time.perf_counter()
        action()
        repeats.append(max(1, min(200, int(0.001 / max(time.perf_counter() - start, 1e-7)))))
    best = [float("inf")] * len(actions)
    until = time.perf_counter() + seconds
    for number in range(rounds):
        for index, action in enumerate(actions):
            start = clock()
            for _ in range(repeats[index]):
                action()
            best[index] = min(best[index], (clock() - start) / repeats[index])
        if number >= 2 and time.perf_counter() > until:
            break
    return best


def run_case(case, folder: pathlib.Path, clock) -> dict:
    import heddle
    import jax
    import jax.export
    import numpy as np

    random = np.random.default_rng(zlib.crc32(case.name.split("/")[0].encode()))
    args = case.inputs(random)
    compiled_by_jax = jax.jit(case.function).lower(*args).compile()
    theirs = flat(compiled_by_jax(*args))
    if case.single:
        exact = theirs
    else:
        with jax.enable_x64(True):
            widened = jax.tree.map(lambda leaf: leaf.astype(np.float64) if leaf.dtype == np.float32 else leaf, args)
            exact = flat(jax.jit(case.function)(*widened))

    exported = jax.export.export(jax.jit(case.function))(*args)
    text = folder / "case.mlir"
    text.write_text(exported.mlir_module())
    artifact = folder / "case.heddle"
    try:
        heddle.compile(text, artifact)
    except heddle.CompileError as error:
        # An internal error is no refusal.
        state = "failed" if error.code.startswith("HDL-09") else "refused"
        return {"state": state, "code": error.code, "reason": f"{error.diagnostics[0]['message']} [{error.code}]"}
    model = heddle.load(artifact)
    inputs = [np.array(leaf, order="C") for index, leaf in enumerate(flat(args)) if index in exported.module_kept_var_idx]
    ours = list(model(*inputs).values())
    if len(ours) != len(theirs):
        return {"state": "wrong", "reason": f"{len(ours)} outputs, jax has {len(theirs)}"}
    ours = [our.reshape(their.shape) for our, their in zip(ours, theirs)]
    reason, ratio = judge(ours, theirs, exact)
    try:
        heddle.compile(exported.serialize(), folder / "serialized.heddle")
        again = heddle.load(folder / "serialized.heddle")(*inputs).values()
        if any(one.tobytes() != np.asarray(other).reshape(one.shape).tobytes() for one, other in zip(ours, again, strict=True)):
            reason = reason or "the serialized export gives other numbers than the module's text"
    except heddle.CompileError as error:
        reason = reason or f"the serialized export is refused: {error.diagnostics[0]['message']} [{error.code}]"
    result = {"state": "wrong" if reason else "right", "reason": reason, "ratio": ratio}
    if clock:
        lower = lambda: jax.jit(lambda *a: case.function(*a)).lower(*args)  # noqa: E731 a new function each time: nothing is remembered
        # A list is filled before the clock runs: lowering is not compiling.
        pending = [lower() for _ in range(4)]
        result["compile"] = best_by_turns_once([
            lambda: pending.pop().compile(),
            lambda: heddle.compile(text, folder / "timed.heddle", targets=[host_target()])], rounds=3, clock=clock)
        out = {info.name: value for info, value in zip(model.outputs, model(*inputs).values())}
        placed = jax.tree.map(jax.numpy.asarray, args)
        result["run"] = best_by_turns([lambda: jax.block_until_ready(compiled_by_jax(*placed)), lambda: model(*inputs, out=out)], 15, 1.0,
                                      clock)
    return result


def best_by_turns_once(actions, rounds: int, clock) -> list[float]:
    best = [float("inf")] * len(actions)
    for _ in range(rounds):
        for index, action in enumerate(actions):
            start = clock()
            action()
            best[index] = min(best[index], clock() - start)
    return best


def worker(names: list[str], clock) -> None:
    registry = all_cases()
    # What libraries print goes elsewhere: this stream carries results alone.
    results = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for name in names:
        print(json.dumps({"name": name, "state": "begin"}), file=results, flush=True)
        with tempfile.TemporaryDirectory(prefix="heddle-jax-") as folder:
            try:
                result = run_case(registry[name], pathlib.Path(folder), clock)
            except Exception as error:  # noqa: BLE001 whatever jax or heddle throw is this case's result
                result = {"state": "failed", "reason": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"}
        print(json.dumps({"name": name, **result}), file=results, flush=True)


# --- in the parent --------------------------------------------------------------------------------------------------------------------


def run_all(names: list[str], clock: str, show) -> dict[str, dict]:
    results: dict[str, dict] = {}
    remaining = list(names)
    while remaining:
        command = [sys.executable, __file__, "--worker", *(["--clock", clock] if clock else ["--no-times"]), *remaining]
        with tempfile.TemporaryFile("w+") as errors, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors) as process:
            begun = follow(process, results, show)
            process.kill() if process.poll() is None and begun else process.wait()
            process.wait()
            errors.seek(0)
            said = errors.read().strip().splitlines()
        remaining = [name for name in remaining if name not in results]
        if begun:  # It died, or took too long, in this case.
            what = f"took more than {LIMIT_SECONDS} s" if process.returncode == -9 else f"died with status {process.returncode}"
            results[begun] = {"state": "died", "reason": f"{what}{': ' + said[-1] if said else ''}"}
            show(begun, results[begun])
            remaining.remove(begun)
        elif remaining:
            sys.exit("the worker ended before its first case:\n" + "\n".join(said[-20:]))
    return results


def follow(process, results: dict[str, dict], show) -> str:
    """Collects results until the worker ends or a case takes too long; returns the case that was under way, if any."""
    begun, buffer = "", b""
    selector = selectors.DefaultSelector()
    selector.register(process.stdout, selectors.EVENT_READ)
    while selector.select(LIMIT_SECONDS):
        chunk = os.read(process.stdout.fileno(), 65536)
        if not chunk:
            return begun
        *lines, buffer = (buffer + chunk).split(b"\n")
        for line in lines:
            result = json.loads(line)
            name = result.pop("name")
            begun = name if result["state"] == "begin" else ""
            if not begun:
                results[name] = result
                show(name, result)
    return begun


def seconds(value: float) -> str:
    return f"{value * 1e6:.0f} us" if value < 1e-3 else f"{value * 1e3:.1f} ms" if value < 1 else f"{value:.2f} s"


def slow(result: dict) -> list[str]:
    """Which of the two bars on time a case misses."""
    missed = []
    if "compile" in result and result["compile"][1] > BAR * result["compile"][0]:
        missed.append("slow compile")
    if "run" in result and result["run"][1] > BAR * result["run"][0] + CALL_SECONDS:
        missed.append("slow run")
    return missed


def describe(name: str, result: dict) -> str:
    times = ""
    for key in ("compile", "run"):
        if key in result:
            theirs, ours = result[key]
            times += f"  {key} {seconds(ours)} / {seconds(theirs)} = {ours / theirs:.2f}"
    state = ", ".join([result["state"], *slow(result)]) if result["state"] == "right" else result["state"]
    ratio = f"  error {result['ratio']:.2f} of allowed" if "ratio" in result else ""
    reason = f"  {result['reason']}" if result.get("reason") else ""
    return f"{state:33} {name:34}{ratio}{times}{reason}"


def reasons(results: dict[str, dict]) -> str:
    """What stands in the way, the most frequent first."""
    groups = collections.defaultdict(list)
    for name, result in results.items():
        if result["state"] != "right":
            reason = re.sub(r"\d+", "N", result["reason"])
            groups[f"{result['state']}: {reason[:150]}"].append(name)
        for missed in slow(result):
            groups[missed].append(name)
    lines = [f"{len(names):4}  {reason}\n        {' '.join(names)}" for reason, names in sorted(groups.items(), key=lambda item: -len(item[1]))]
    return "\n".join(lines)


def ratios(results: dict[str, dict], key: str) -> list[tuple[float, str]]:
    """How many times as long as jax each case takes, the slowest first."""
    return sorted(((result[key][1] / result[key][0], name) for name, result in results.items() if key in result), reverse=True)


def as_markdown(results: dict[str, dict], summary: str) -> str:
    lines = [summary, "", "| | median | worst | over the bar |", "| --- | --- | --- | --- |"]
    for key in ("compile", "run"):
        if sorted_ratios := ratios(results, key):
            worst = ", ".join(f"{name} {ratio:.2f}" for ratio, name in sorted_ratios[:5])
            over = sum(f"slow {key}" in slow(result) for result in results.values())
            lines.append(f"| {key} time, of jax's | {sorted_ratios[len(sorted_ratios) // 2][0]:.2f} | {worst} | {over} |")
    lines += ["", "| case | result | error, of what is allowed | compile, of jax's | run, of jax's |", "| --- | --- | --- | --- | --- |"]
    for name, result in results.items():
        times = [f"{result[key][1] / result[key][0]:.2f}" if key in result else "" for key in ("compile", "run")]
        lines.append(f"| {name} | {result['state']} | {result.get('ratio', float('nan')):.2f} | {times[0]} | {times[1]} |")
    return "\n".join(lines) + "\n"


def write_report(file: pathlib.Path, results: dict[str, dict], summary: str, text: str) -> None:
    if file.suffix == ".json":
        document = {"summary": summary, "bar": BAR, "cases": {
            name: {**{key: value for key, value in result.items() if key not in ("compile", "run")},
                   **{f"{key}_seconds": {"jax": result[key][0], "heddle": result[key][1]} for key in ("compile", "run") if key in result},
                   "over": slow(result)} for name, result in results.items()}}
        file.write_text(json.dumps(document, indent=1, allow_nan=True) + "\n")
    else:
        file.write_text(as_markdown(results, summary) if file.suffix == ".md" else text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--list", action="store_true", help="print the names of the cases and leave")
    parser.add_argument("--share", default="1/1",
                        help="K/N: only the K-th of N parts; which case is in which part follows from its name")
    parser.add_argument("--only", action="append", default=[], metavar="GLOB", help="only cases whose name matches")
    parser.add_argument("--no-times", action="store_true", help="only numbers")
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="what times are: seconds on the wall, or of processors")
    parser.add_argument("--bars", action="store_true", help="exit with 4 if a case is over a bar on time")
    parser.add_argument("--report", type=pathlib.Path, action="append", default=[], help="also write the results to a file: .json, .md or text")
    parser.add_argument("names", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return worker(options.names, None if options.no_times else CLOCKS[options.clock])

    part, parts = map(int, options.share.split("/"))
    names = [name for name in all_cases()
             if (not options.only or any(fnmatch.fnmatch(name, pattern) for pattern in options.only))
             and int(hashlib.sha256(name.encode()).hexdigest(), 16) % parts == part % parts]
    if options.list:
        return print("\n".join(names))
    results = run_all(names, "" if options.no_times else options.clock, lambda name, result: print(describe(name, result), flush=True))
    table = "\n".join(describe(name, results[name]) for name in names)
    counts = collections.Counter(result["state"] for result in results.values())
    late = collections.Counter(missed for result in results.values() for missed in slow(result))
    summary = (f"{counts['right']} right, {counts['wrong'] + counts['failed']} wrong, {counts['died']} died, {counts['refused']} refused of "
               f"{len(names)}" + "".join(f", {count} {missed}" for missed, count in sorted(late.items())))
    grouped = reasons(results)
    for file in options.report:
        write_report(file, {name: results[name] for name in names}, summary, f"{summary}\n\n{grouped}\n\n{table}\n")
    print(f"\n{grouped}\n\n{summary}")
    if counts["wrong"] or counts["failed"] or counts["died"]:
        sys.exit(1)
    if options.bars and late:
        sys.exit(4)


if __name__ == "__main__":
    main()
