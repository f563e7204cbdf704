"""Changes one line of lowered roles, as a fault of the lowering would.

usage: mutate.py MUTANT FROM TO
"""

import pathlib
import re
import sys

# What a line holds, which of those that do, and what stands there instead, of all that it holds or of a part; None drops the line.
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
    # Of steps that compute numbers: the producer waits for keys' slot and values'; consumers for keys of the first step, to clear its values, for
    # keys and values in the loop, to clear values there, and for the last values. They wait for groups of products, and give slots back, in this order.
    "late-full": (r"nvvm\.mbarrier\.try_wait\.parity", 5, None),
    "late-wait": (r"wgmma\.wait_group\.sync\.aligned 0", 1, ("aligned 0", "aligned 1")),
    "late-arrive": (r"nvvm\.mbarrier\.arrive %", 2, None),
    "parity": (r"nvvm\.mbarrier\.try_wait\.parity", 4, (r"parity (%\w+), %\w+", r"parity \1, %c1_i32")),
}


def main() -> int:
    mutant, source, target = sys.argv[1:]
    pattern, number, instead = MUTANTS[mutant]
    lines = pathlib.Path(source).read_text().splitlines()
    place = [i for i, line in enumerate(lines) if re.search(pattern, line)][number]
    if instead is None:
        del lines[place]
    else:
        part, instead = instead if isinstance(instead, tuple) else (pattern, instead)
        lines[place] = re.sub(part, instead, lines[place])
    pathlib.Path(target).write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
