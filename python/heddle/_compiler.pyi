from collections.abc import Sequence

version: str

def compile(
    model: bytes, artifact: bytes, targets: Sequence[str], shapes: Sequence[str], dims: Sequence[str], binds: Sequence[str],
    custom_calls: Sequence[str], flush_subnormals: bool = False
) -> tuple[int, str]: ...
def inspect(path: bytes) -> tuple[int, str]: ...
