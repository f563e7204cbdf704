"""Changes one line of lowered roles, as a fault of the lowering would.

usage: mutate.py MUTANT FROM TO
"""

import pathlib
import re
import sys

# What a line holds, which of those that do, and what stands there instead; None drops the line.
MUTANTS = {
    "empty-wait": (r"nvvm\.mbarrier\.try_wait\.parity", 0, None),
    "full-wait": (r"nvvm\.mbarrier\.try_wait\.parity", 1, None),
    "expect": (r"nvvm\.mbarrier\.arrive\.expect_tx", 0, None),
    "bytes": (r"arith\.constant 32768 : i32", 0, "arith.constant 16384 : i32"),
    "arrivals": (r"(nvvm\.mbarrier\.init %\w+), %\w+", 1, r"\1, %c1_i32"),
    "lag": (r"wgmma\.wait\.group\.sync\.aligned 1", 0, "wgmma.wait.group.sync.aligned 2"),
    "product-wait": (r"nvvm\.wgmma\.wait\.group\.sync\.aligned", 0, None),
    "arrive": (r"nvvm\.mbarrier\.arrive %", 0, None),
    "copy": (r"nvvm\.cp\.async\.bulk\.tensor", 2, None),
    "init": (r"nvvm\.mbarrier\.init", 0, None),
}


def main() -> int:
    mutant, source, target = sys.argv[1:]
    pattern, number, instead = MUTANTS[mutant]
    lines = pathlib.Path(source).read_text().splitlines()
    place = [i for i, line in enumerate(lines) if re.search(pattern, line)][number]
    if instead is None:
        del lines[place]
    else:
        lines[place] = re.sub(pattern, instead, lines[place])
    pathlib.Path(target).write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
