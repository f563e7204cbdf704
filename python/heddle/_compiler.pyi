from collections.abc import Callable, Sequence
from typing import Any

version: str

# A path and None, or a name and bytes, and the function of it that is wanted, or "".
_Model = tuple[bytes, bytes | bytearray | memoryview | None, str]

def compile(
    model: _Model | None, artifact: bytes, targets: Sequence[str], shapes: Sequence[str], dims: Sequence[str], binds: Sequence[str],
    custom_calls: Sequence[str], precision: str, max_error: float, calibration: str, error_metric: str, precision_policy: str, flush_subnormals: bool, places: Sequence[str], place_rules: Sequence[str], place_by: str, device_tensors: bool, states: Sequence[str],
    entries: Sequence[tuple[str, _Model]], mesh: str, shards: Sequence[str], force: bool, on_phase: Callable[[str], Any] | None
) -> tuple[int, str]: ...
def inspect(path: bytes) -> tuple[int, str]: ...
