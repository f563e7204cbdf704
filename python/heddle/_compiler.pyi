from collections.abc import Callable, Sequence
from typing import Any

version: str

def compile(
    path: bytes, memory: bytes | bytearray | memoryview | None, artifact: bytes, targets: Sequence[str], shapes: Sequence[str], dims: Sequence[str], binds: Sequence[str],
    custom_calls: Sequence[str], flush_subnormals: bool, places: Sequence[str], place_rules: Sequence[str], place_by: str, on_phase: Callable[[str], Any] | None
) -> tuple[int, str]: ...
def inspect(path: bytes) -> tuple[int, str]: ...
