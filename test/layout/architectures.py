"""Checks that code names an instruction set only where it must: everything else asks the target.

usage: architectures.py ROOT [FILE...]
"""

import pathlib
import re
import subprocess
import sys

NAMES = re.compile(r"x86|amd64|aarch64|arm64|(?<![a-z])avx|(?<![a-z])sse[0-9]|\bneon\b|haswell|skylake|\bzen[0-9 ]", re.IGNORECASE)
# The only files that may, and why.
ALLOWED = {
    r"lib/Target/Machine\.cpp": "the table",
    r"lib/Target/CpuTarget\.cpp": "sources of its numbers",
    r"lib/Target/GpuMachine\.cpp": "the processors beside graphics processors",
    r"lib/Codegen/(CMakeLists\.txt|FreestandingArchive\.cpp|Relocations\.cpp)": "a build of the routines and relocations for each",
    r"lib/Codegen/Freestanding/": "compiled for each",
    r"lib/Reference/Matmul\.cpp": "the interpreter's own speed",
    r"passes/Kernel/Cpu/(FloatPairs|MatrixTile)\.cpp": "name instructions that LLVM does not find by itself",
    r"passes/Kernel/Cpu/ScaledWords\.cpp": "names an instruction that LLVM does not find by itself",
    r"passes/Math/FloatBuilder\.h": "a remark on instructions",
    r"runtime/drivers/cpu/": "runs on each",
    r"runtime/format/(ElfImage|KernelVerifier)\.": "the loader's ELF machine numbers",
    r"runtime/cmake/": "cross compilation",
}
SOURCES = re.compile(r"^(dialects|include|lib|passes|runtime|python(?!/tests))/.*(\.(h|hpp|cpp|c|td|fbs|py|cmake)|CMakeLists\.txt)$")
COMMENT = re.compile(r"^\s*(//|\*|/\*|#(?!\s*(if|el|include|define))).*|\s//.*$")


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    files = sys.argv[2:] or [file for file in subprocess.run(["git", "-C", root, "ls-files"], check=True, capture_output=True,
                                                              text=True).stdout.split() if SOURCES.match(file)]
    found = []
    for file in files:
        if any(re.match(pattern, file) for pattern in ALLOWED):
            continue
        for number, line in enumerate((root / file).read_text(errors="replace").splitlines(), 1):
            if NAMES.search(COMMENT.sub("", line)):
                found.append(f"{file}:{number}: names an instruction set: {line.strip()}")
    print("\n".join(found) or f"{len(files)} files ask the target")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
