"""Are the generated pages complete?  pages.py SOURCE BUILD/docs

Operations and passes are found in the .td text itself, by the names that they define.
"""

import pathlib
import re
import sys

root, pages = map(pathlib.Path, sys.argv[1:])
text = {page.name: page.read_text() for page in pages.glob("*.md")}
missing, operations, passes = [], 0, 0
for source in root.glob("dialects/*/*.td"):
    dialect = source.parent.name
    page = text.get(f"{dialect}Dialect.md")
    if page is None:
        continue
    for name in re.findall(r'^def \w+\s*:\s*\w*Op<"(\w+)"', source.read_text(), re.MULTILINE):
        operations += 1
        section = re.search(rf"^### `{dialect.lower()}\.{name}` \(.*\)\n(.*?)(?=^### |\Z)", page, re.MULTILINE | re.DOTALL)
        if not section:
            missing.append(f"{dialect}: {name}")
for source in root.glob("passes/**/Passes.td"):
    page = text.get("".join(source.parent.relative_to(root / "passes").parts) + "Passes.md", "")
    for name in re.findall(r'^def \w+\s*:\s*Pass<"([\w-]+)"', source.read_text(), re.MULTILINE):
        passes += 1
        section = re.search(rf"^### `-{name}`\n\n_(.+)_\n\n(\S)", page, re.MULTILINE)
        if not section:
            missing.append(f"{source.parent.name}: {name}")
for name in missing:
    print(name)
print(f"{operations} operations, {passes} passes, {len(missing)} missing")
sys.exit(bool(missing))
