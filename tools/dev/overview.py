"""Keeps the IR in docs/overview.md true: overview.py [--check] (heddle and heddle-opt on the PATH)

Each block of the page that follows a line `<!-- after: STAGE -->` is what docs/overview.mlir is after that stage, and a block after
`<!-- run: COMMAND -->` what the command prints. Without --check the page is rewritten. The table has a row for each stage that `heddle compile --help` names,
in that order; steps between them stand in parentheses.
"""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def output(*command, cwd=None) -> str:
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, cwd=cwd).stdout


def inner_loop(text: str) -> str:
    """Of a kernel, the loop that does the work."""
    match = re.search(r"^( *)%\S+ = scf\.for [^\n]*iter_args.*?^\1}\n", text, re.S | re.M)
    return "\n".join(line[len(match[1]):] for line in match[0].splitlines()) + "\n"


def stage(name: str, folder: pathlib.Path) -> str:
    dump = folder / "dump.mlir"
    output("heddle", "compile", "-q", DOCS / "overview.mlir", "-t", "x86-64-v3", "-o", folder / "overview.heddle", f"--dump-after={name}={dump}")
    if name == "heddle-kernel-cpu":
        return inner_loop(output("heddle-opt", "--canonicalize", "--cse", dump))
    text = output("heddle-opt", dump)
    if name == "heddle-plan":  # the rest stands one stage before
        return re.search(r"^  plan\.program.*?^  }\n", text, re.S | re.M)[0]
    return text.rstrip() + "\n"


def filled(page: str) -> str:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def block(match):
            kind, what = match[1], match[2]
            if kind == "after":
                text = stage(what, folder)
            else:
                output("heddle", "compile", "-q", DOCS / "overview.mlir", "-t", "x86-64-v3", "-o", folder / "overview.heddle")
                text = f"$ {what}\n" + output(*shlex.split(what), cwd=folder)
            return f"<!-- {kind}: {what} -->\n```{match[3]}\n{text}```\n"

        return re.sub(r"<!-- (after|run): (.*?) -->\n```(\w*)\n.*?```\n", block, page, flags=re.S)


def table_faults(page: str) -> list[str]:
    """Where the table's stages are not those of the compiler."""
    told = [name for name in re.findall(r"^\| ([^|]+?) \|.*\|$", page.split("\n## ")[0], re.M)[1:] if name[0] not in "(-"]
    known = re.search(r"^Stages: (.*?)\.$", " ".join(output("heddle", "compile", "--help").split()).replace(" Stages:", "\nStages:"), re.M)[1].split(", ")
    return [] if told == known else [f"docs/overview.md: the table's stages are {', '.join(told)}; the compiler's are {', '.join(known)}"]


def main() -> int:
    path = DOCS / "overview.md"
    page = path.read_text()
    if faults := table_faults(page):
        print("\n".join(faults))
        return 1
    new = filled(page)
    if "--check" not in sys.argv:
        path.write_text(new)
        return 0
    if new == page:
        print("docs/overview.md is true")
        return 0
    print("docs/overview.md no longer shows what the compiler does; run tools/dev/overview.py")
    import difflib
    sys.stdout.writelines(difflib.unified_diff(page.splitlines(True), new.splitlines(True), "page", "compiler"))
    return 1


if __name__ == "__main__":
    sys.exit(main())
