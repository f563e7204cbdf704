"""The smallest piece of a failing program that still fails."""

import json
import re
import subprocess


def run_tests(heddle, how, files):
    """What `heddle test` says of some files."""
    run = subprocess.run([heddle, "test", "--json", *how, *map(str, files)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                         check=False)
    return json.loads(run.stdout)


def names_in(text):
    return set(re.findall(r"%v\d+", text))


def defined(step):
    return re.match(r"\s*(%v\d+)", step.text).group(1)


class Reducer:

    def __init__(self, heddle, how, program, expected, folder):
        self.heddle, self.how, self.program, self.expected = heddle, how, program, expected
        self.path = folder / "reduced.mlir"

    def fails(self, steps, cut):
        """The text of these steps if a check of the last fails; `cut` steps' values are inputs."""
        if not steps:
            return None
        inputs = self.program.inputs + [value for step in cut for value in step.values]
        used = set().union(*(names_in(step.text) for step in steps))
        inputs = [InputOf(value, self.expected.get(value.name)) for value in inputs if value.name.split("#")[0] in used]
        expected = {value.name: self.expected[value.name] for value in steps[-1].values if value.name in self.expected}
        text = self.program.checking(expected, self.how, steps, inputs)
        self.path.write_text(text)
        return text if run_tests(self.heddle, self.how, [self.path])["failed"] else None

    def needed(self, last, cut):
        """The steps that the value needs, without those that are cut."""
        wanted, steps = names_in(last.text), [last]
        for step in reversed(self.program.steps[:self.program.steps.index(last)]):
            if defined(step) in wanted and step not in cut:
                steps.insert(0, step)
                wanted |= names_in(step.text)
        return steps

    def reduce(self):
        """The text of the smallest failing piece that was found, or None where no piece fails by itself."""
        best = None
        for last in self.program.steps:
            if last.values:
                best = self.fails(self.needed(last, []), [])
                if best:
                    break
        if not best:
            return None
        cut = []
        for step in self.needed(last, [])[:-1]:
            if not step.values or step not in self.needed(last, cut):
                continue
            smaller = self.fails(self.needed(last, [*cut, step]), [*cut, step])
            if smaller:
                cut.append(step)
                best = smaller
        return best


class InputOf:
    """A value as an input, with the data that it has."""

    def __init__(self, value, data):
        self.name, self.type = value.name, value.type
        self.data = value.data if value.data is not None else data
