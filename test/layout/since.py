"""Checks that every symbol of the C interfaces says since when it exists: in the comment right before it, or on its line.

usage: since.py HEADER...
"""

import pathlib
import re
import sys

# Comments, preprocessor lines with their continuations, and declarations up to the `;` or `}` that ends them.
ITEM = re.compile(r"(?P<comment>/\*.*?\*/)|(?P<directive>^#(?:[^\n]*\\\n)*[^\n]*)|(?P<rest>(?:(?!/\*)[^\n])+|\n)", re.DOTALL | re.MULTILINE)
SINCE = re.compile(r"Since\s+\*?\s*\d+\.\d+\.")
NAME = re.compile(r"\b(heddle_\w+|HEDDLE_[A-Z_]+)\b")
# What the header is made with, not what it offers.
PRIVATE = re.compile(r"HEDDLE_(RUNTIME_H|COMPILER_H|API|COMPILER_API|COMPILER_BUILD)$")


def items(text: str):
    """Comments, and declarations as (name, text), in order; what is within braces belongs to its declaration."""
    depth, declaration = 0, ""
    for match in ITEM.finditer(text):
        if match["comment"]:
            if depth or declaration.strip():
                declaration += match["comment"]
            else:
                yield "comment", match["comment"]
            continue
        if match["directive"]:
            name = re.match(r"#\s*define\s+(\w+)", match["directive"])
            if name and not PRIVATE.match(name[1]):
                yield name[1], match["directive"]
            continue
        line = match["rest"]
        if re.match(r'\s*(extern "C" \{|\})\s*$', line) and not depth and not declaration.strip():
            continue
        declaration += line
        depth += line.count("{") - line.count("}")
        if depth == 0 and re.search(r"[;}]\s*$", line):
            name = re.search(r"\}\s*(\w+);", declaration) or re.search(r"\(\*(\w+)\)", declaration) or \
                re.search(r"\b(heddle_\w+)\s*\(", declaration) or re.search(r"(\w+)\s*;", declaration)
            yield (name[1] if name else declaration.strip()), declaration
            declaration = ""


def main() -> int:
    found, count = [], 0
    for header in sys.argv[1:]:
        before, seen = "", set()
        for name, text in items(pathlib.Path(header).read_text()):
            if name == "comment":
                before = text
                continue
            count += 1
            # A struct may be declared before it is defined: once is enough.
            if not SINCE.search(before) and not SINCE.search(text.split("{")[0]) and name not in seen:
                found.append(f"{header}: {name} does not say since when it exists")
            seen.add(name)
            before = ""
    print("\n".join(found) or f"{count} symbols say since when they exist")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
