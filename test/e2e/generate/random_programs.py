"""Random StableHLO programs: compiled and interpreted by heddle, against jaxlib's CPU compiler, and numpy for what that lacks.

    random_programs.py HEDDLE [--count N] [--seed S] [--keep FOLDER] [--coverage]

Prints each program that differs, with a command that repeats it and the smallest piece of it that differs. Programs S, S + 1, ... depend on
their number alone. Types that the tool does not compile yet are left out and named.
"""

import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import re
import sys
import tempfile
import threading

import numpy as np

import coverage
import operations
from elements import NARROW, NUMPY, SMALL_INTS
from oracle import Oracle, Refused
from program import Program, Type, constants
from reduction import Reducer, run_tests

# Programs that jaxlib gets together.
GROUP = 16


def generate(seed, elements=None, again=0, narrow=0.15):
    """Program number `seed`: mostly a few operations, sometimes very many."""
    program = Program(seed + (again << 40), elements, narrow)
    for _ in range(2):
        program.input(Type(program.shape(), program.element()))
    wanted = program.random.randint(50, 200) if program.random.random() < 0.02 else program.random.randint(1, 8)
    for _ in range(4 * wanted):
        if len(program.steps) >= wanted:
            break
        before = len(program.values)
        program.random.choice(operations.ALL)(program)
        # Nothing grows without end.
        if any(value.type.size > 20000 for value in program.values[before:]):
            return generate(seed, elements, again + 1, narrow)
    return program if program.results() else generate(seed, elements, again + 1, narrow)


def accepted_elements(heddle, folder):
    """The element types that the tool compiles: tried, because a type that is refused would hide everything it is mixed with.

    Without integers of less than a byte, with which jaxlib computes in bytes (populations, sorts): narrow_programs.py has those."""
    tried = {}
    for element in NARROW:
        type = Type((3,), element)
        data = np.array([1, 1, 1]).astype(NUMPY[element])
        path = folder / f"type-{element}.mlir"
        path.write_text("\n".join(
            ["func.func @main() {", f"  %in = call @inputs() : () -> {type}", f"  %0 = stablehlo.reverse %in, dims = [0] : {type}",
             f'  "check.expect_eq"(%0, %in) : ({type}, {type}) -> ()', "  return", "}", *constants("inputs", [(type, data)])]) + "\n")
        tried[str(path)] = element
    report = run_tests(heddle, [], list(tried))
    refused = {tried[skip["file"]] for skip in report["skips"]}
    if refused:
        print(f"types that are not compiled yet: {', '.join(sorted(refused))}")
    return set(NUMPY) - refused - set(SMALL_INTS)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("heddle", nargs="?")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", help="folder for the programs; default: a temporary one")
    parser.add_argument("--operations", metavar="ROOT", help="only says which operations of the dialects below ROOT are never generated")
    parser.add_argument("--coverage", action="store_true", help="prints how often each operation had each type")
    parser.add_argument("--no-reduction", action="store_true", help="only says what differs")
    parser.add_argument("--wrong", metavar="OPERATION", help="changes what is expected of this operation, to try the reduction")
    options = parser.parse_args()
    if options.operations:
        sys.exit(say_missing(options))
    print(f"seeds {options.seed} to {options.seed + options.count - 1}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        sys.exit(Comparison(options, folder).run())


def say_missing(options):
    """Whether programs hold every operation but those that are left out for a reason, which must be operations too."""
    wanted = coverage.dialect_operations(options.operations)
    unknown = set(coverage.LEFT_OUT) - wanted
    counts = collections.Counter()
    for seed in range(options.count):
        program = generate(seed)
        coverage.count("\n".join([step.text for step in program.steps] + program.functions), counts)
    found = {operation for operation, _ in counts}
    missing = sorted(wanted - found - set(coverage.LEFT_OUT))
    for operation in missing:
        print(f"never generated: {operation}")
    for operation in sorted(unknown | set(coverage.LEFT_OUT) & found):
        print(f"left out without need: {operation}")
    if options.coverage:
        print("\n".join(coverage.table(counts)))
    print(f"{len(wanted)} operations, {len(wanted & found)} generated, {len(coverage.LEFT_OUT)} left out, {len(missing)} missing")
    return 1 if missing or unknown else 0


class Comparison:

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.elements = accepted_elements(options.heddle, folder)
        # One for each thread that asks.
        self.oracles, self.refused, self.files = {}, collections.Counter(), {}
        self.counts = collections.Counter()

    def expected(self, programs):
        """For each program what each result must be, by name; or why jaxlib refuses the program."""
        asked = [program.for_oracle() for program in programs]
        oracle = self.oracles.setdefault(threading.get_ident(), Oracle())
        answers = iter(oracle.run([(text, arguments) for text, arguments, results in asked if results]))
        found = [next(answers) if results else [] for _, _, results in asked]
        return [answer if isinstance(answer, Refused) else self.by_name(program, results, answer)
                for program, (_, _, results), answer in zip(programs, asked, found)]

    def by_name(self, program, results, found):
        expected = {value.name: data for value, data in zip(results, found)}
        expected.update({value.name: value.data for value in program.results() if value.data is not None})
        if self.options.wrong:
            for step in program.steps:
                if step.text.split(" = ")[1].startswith(f"{self.options.wrong} ") and step.values and step.values[0].type.size:
                    value = step.values[0]
                    expected[value.name] = np.array(expected[value.name])
                    expected[value.name].flat[0] = not expected[value.name].flat[0]
        return expected

    def write_group(self, seeds):
        programs = [generate(seed, self.elements) for seed in seeds]
        return [self.write(*each) for each in zip(seeds, programs, self.expected(programs))]

    def write(self, seed, program, expected):
        """Writes the program with what jaxlib expects of it; gives its text, or why jaxlib refuses it."""
        if isinstance(expected, Refused):
            (self.folder / f"refused-{seed}.mlir").write_text(program.for_oracle()[0])
            return None, str(expected)
        text = program.checking(expected)
        path = self.folder / f"program-{seed}.mlir"
        path.write_text(text)
        other = self.folder / f"interpreted-{seed}.mlir"
        if any(step.interpreted for step in program.steps):
            other.write_text(program.checking(expected, ["--interpret"]))
        self.files[seed] = path, other if other.exists() else path
        return text, None

    def run(self):
        seeds = range(self.options.seed, self.options.seed + self.options.count)
        # jaxlib's compiler takes most of the time, in processes of its own.
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            groups = [seeds[begin:begin + GROUP] for begin in range(0, len(seeds), GROUP)]
            for text, refusal in itertools.chain.from_iterable(pool.map(self.write_group, groups)):
                if refusal:
                    # Without the names and types of this program, so that reasons can be counted.
                    self.refused[re.sub(r"[%(].*", "...", refusal)[:100]] += 1
                else:
                    coverage.count(text, self.counts)
        failed = sum(self.compare(how) for how in ([], ["--interpret"]))
        for reason, count in self.refused.most_common():
            print(f"jaxlib refuses {count}: {reason}")
        if self.options.coverage:
            print("\n".join(coverage.table(self.counts)))
        print(f"{len(self.files)} programs compared, {sum(self.refused.values())} that jaxlib refuses, {failed} differ")
        for oracle in self.oracles.values():
            oracle.close()
        # A generator whose programs nobody takes would prove nothing.
        return 1 if failed or len(self.files) < 0.8 * self.options.count else 0

    def compare(self, how):
        """Runs all programs one way; gives how many differ."""
        name = "interpreted" if how else "compiled"
        report = {"failures": [], "skips": [], "passed": 0, "failed": 0, "skipped": 0, "checks": 0}
        files = {str(pair[1 if how else 0]): seed for seed, pair in sorted(self.files.items())}
        names = list(files)
        for begin in range(0, len(names), 1000):  # command lines are finite
            for key, value in run_tests(self.options.heddle, how, names[begin:begin + 1000]).items():
                if key not in report:  # how the command ended
                    continue
                report[key] += value
        shown = set()
        for failure in report["failures"]:
            seed = files[failure["file"]]
            print(f"{name}: seed {seed}: {failure['message']}")
            if seed not in shown:
                print(f"    repeat: {sys.executable} {os.path.abspath(__file__)} {self.options.heddle} --seed {seed} --count 1 --keep /tmp/random")
                if len(shown) < 20 and not self.options.no_reduction:
                    self.show_reduced(how, seed)
            shown.add(seed)
        reasons = collections.Counter(skip["reason"] for skip in report["skips"])
        for reason, count in reasons.most_common(40):
            print(f"{name}: skipped {count}: {reason}")
        print(f"{name}: {report['passed']} passed, {report['failed']} failed, {report['skipped']} skipped, {report['checks']} checks")
        return report["failed"]

    def show_reduced(self, how, seed):
        program = generate(seed, self.elements)
        text = Reducer(self.options.heddle, how, program, self.expected([program])[0], self.folder).reduce()
        if text is None:
            print("    no piece of it differs by itself")
            return
        (self.folder / f"reduced-{seed}.mlir").write_text(text)
        lines = text.splitlines()
        print(f"    reduced (seed {seed}):")
        print("\n".join(f"    | {line[:300]}" for line in lines[:60]))


if __name__ == "__main__":
    main()
