"""The help of every command that `heddle help` names: at most 42 lines of 120 characters, and the same text as JSON."""

import json
import subprocess


def heddle(*arguments: str) -> str:
    return subprocess.run(["heddle", *arguments], check=True, capture_output=True, text=True).stdout


overview = heddle("help")
commands = [line.split()[0] for line in overview.split("Subcommands:")[1].splitlines() if line.startswith("  ") and line.split()]
for command in ["", *commands]:
    text = heddle("help", *filter(None, [command]))
    lines = text.splitlines()
    assert 5 <= len(lines) <= 42 and max(map(len, lines)) <= 120, (command, len(lines), max(map(len, lines)))
    for asked in (["help", *filter(None, [command]), "--json"], [*filter(None, [command]), "--help", "--json"]):
        document = json.loads(heddle(*asked))
        assert document == {"command": command, "help": text, "status": "ok", "exit_code": 0}, asked
print(f"{len(commands)} commands fit")
