"""Checks that the paths that pages name exist, and that the glossary is in order: where.py ROOT PAGE...

A path is what stands in backticks and has a slash after the name of a folder of the tree. Of what recipes make up only the folder must exist.
"""

import pathlib
import re
import sys

# A pass and a test that stand for any other.
MADE_UP = {"docs/add-a-pass.md": {"passes/Graph/MergeScale.cpp", "test/passes/Graph/merge-scale.mlir"}}

root = pathlib.Path(sys.argv[1])
folders = "dialects|docs|include|lib|passes|python|runtime|test|tools"
missing, count = [], 0
for page in map(pathlib.Path, sys.argv[2:]):
    text = page.read_text()
    words = re.findall(r"^\| ([a-z][^|]*?) \|", text, re.M)[1:] if page.name == "glossary.md" else []
    if words != sorted(words):
        missing.append(f"{page.name}: the words are not in order")
    for path in re.findall(rf"`((?:{folders})(?:/[\w.-]+)*)`", text):
        count += 1
        made_up = any(page.match(name) and path in paths for name, paths in MADE_UP.items())
        if not ((root / path).parent if made_up else root / path).exists():
            missing.append(f"{page.name}: there is no {path}")
print("\n".join(missing) or f"{count} paths exist")
sys.exit(1 if missing else 0)
