"""Checks that no file includes what its folder may not: the tree is the architecture.

Includes in quotes name files of the tree; those of MLIR and LLVM are in quotes too, by their own custom. A breach is printed as
`file:line: folder may not include "..."`, and the exit code is 1.
"""

import pathlib
import re
import subprocess
import sys

MLIR = r"mlir/|llvm/"
SUPPORT = r"heddle/Support/"
DIALECTS = r"dialects/"
# A dialect knows those before it, a stage of passes what stands before it on a model's way down. All may write arithmetic (Math).
DIALECT_ORDER = ["Size", "StableHlo", "Chlo", "Check", "Vhlo", "Sdy", "Sharding", "Prec", "Dist", "Kernel", "Plan", "Ws"]
STAGE_ORDER = ["Math", "Graph", "Dynamic", "Precision", "Sharding", "Lower", "Dispatch", "Kernel", "Plan"]


def ordered(top: str, names: list[str], besides: str) -> dict[str, str]:
    """Rules for the folders of `top`: each may include itself and those named before it."""
    return {f"{top}/{name}": f"{besides}|{top}/({'|'.join(names[:i + 1])})/" for i, name in enumerate(names)}


def dialects_up_to(name: str) -> str:
    return f"dialects/({'|'.join(DIALECT_ORDER[: DIALECT_ORDER.index(name) + 1])})/"


# The longest matching folder decides. A file may always include what lies beside it. Of another folder of lib it sees the headers in include/heddle.
ALLOWED = {
    "runtime": r"runtime/|heddle/runtime\.h|heddle/runtime\.hpp|flatbuffers/",
    **ordered("dialects", DIALECT_ORDER, f"{MLIR}|{SUPPORT}"),
    # What orders the commands of a plan, and how devices are named, is decided in one place.
    "dialects/Plan": f"{MLIR}|{SUPPORT}|{dialects_up_to('Plan')}" + r"|runtime/format/(DeviceNames|Hazards)\.h",
    # What a layout of weights means is decided in one place, too.
    "dialects/Prec": f"{MLIR}|{SUPPORT}|{dialects_up_to('Prec')}" + r"|runtime/format/WeightLayout\.h",
    "dialects/Kernel": f"{MLIR}|{SUPPORT}|{dialects_up_to('Kernel')}" + r"|runtime/format/WeightLayout\.h",
    "lib/Support": f"{MLIR}|{SUPPORT}",
    "lib/Target": f"{MLIR}|{DIALECTS}|{SUPPORT}|heddle/Target/|lib/Target/",
    "lib/Reference": f"{MLIR}|{DIALECTS}|{SUPPORT}|heddle/Reference/|lib/Reference/",
    "lib/Frontend": f"{MLIR}|{DIALECTS}|{SUPPORT}|heddle/(Frontend|Reference)/|lib/Frontend/",
    # The interpreter folds constants.
    **ordered("passes", STAGE_ORDER,
              f"{MLIR}|{DIALECTS}|{SUPPORT}|heddle/(Target|Reference)/|runtime/format/(kernel_abi|Limits)\\.h"),
    "lib/Pipeline": f"{MLIR}|{DIALECTS}|passes/|{SUPPORT}|heddle/(Target|Pipeline)/",
    "lib/Codegen": f"{MLIR}|lld/|{DIALECTS}|{SUPPORT}|heddle/(Target|Codegen)/|runtime/format/kernel_abi\\.h|lib/Codegen/",
    "lib/Artifact": rf"{MLIR}|{DIALECTS}|passes/|{SUPPORT}|heddle/(Target|Pipeline|Codegen|Artifact)/|heddle/runtime\\.h|runtime/format/|lib/Artifact/",
    # The driver knows no command, and what tests compiled models no other command.
    "lib/Driver": f"{MLIR}|{DIALECTS}|passes/|heddle/(?!Commands/|Testing/)|runtime/format/|lib/Driver/",
    "lib/Testing": f"{MLIR}|{DIALECTS}|passes/|heddle/(?!Commands/)|runtime/format/|lib/Testing/",
    "lib/Commands": f"{MLIR}|{DIALECTS}|heddle/|runtime/format/|lib/Commands/",
    "tools": rf"{MLIR}|CLI/|{DIALECTS}|passes/|heddle/",
    "python": r"heddle/runtime\.h|heddle/compiler\.h",
    "include/heddle": rf"{MLIR}|heddle/|{DIALECTS}",
}
# Code generation is slow to compile against and belongs to one library.
CODEGEN_HEADERS = r"llvm/(CodeGen|MC|Target|Passes|ExecutionEngine)/|lld/"


# Tests may include everything.
FREE = r"test/|tools/cmake/"


def folder_of(path: pathlib.PurePath) -> str | None:
    matching = [folder for folder in ALLOWED if path.as_posix().startswith(folder + "/")]
    return max(matching, key=len, default=None)


def breaches(root: pathlib.Path, path: pathlib.PurePath):
    folder = folder_of(path)
    if folder is None:
        if not re.match(FREE, path.as_posix()):
            yield f"{path}: no rule says what this folder may include"
        return
    lines = (root / path).read_text(errors="replace").splitlines()
    for number, line in enumerate(lines, 1):
        match = re.match(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', line)
        if not match:
            continue
        name = match[1] or match[2]
        beside = match[1] and ".." not in name and (root / path.parent / name).exists()
        if match[2] and not re.match(r"mlir/|llvm/|heddle/|dialects/|passes/", name):
            continue  # the system's
        allowed = beside or re.match(ALLOWED[folder], name)
        if folder not in ("lib/Codegen", "tools") and re.match(CODEGEN_HEADERS, name):
            allowed = False
        if not allowed:
            yield f'{path}:{number}: {folder} may not include "{name}"'


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    if len(sys.argv) > 2:
        files = sys.argv[2:]
    else:
        files = subprocess.run(["git", "-C", root, "ls-files", "*.h", "*.hpp", "*.cpp", "*.c", "*.def"], check=True, capture_output=True,
                               text=True).stdout.split()
    found = [line for file in files for line in breaches(root, pathlib.PurePath(file))]
    print("\n".join(found) or f"{len(files)} files keep to the layout")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
