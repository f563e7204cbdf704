"""The same computations by PyTorch, which calls cuBLAS and its own kernels."""

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel


def to_device(array, dtype: str):
    """A tensor with the bits of an array; bf16 lies in integers of 16 bits."""
    tensor = torch.from_numpy(array).cuda()
    return tensor.view(torch.bfloat16) if dtype == "bf16" else tensor


# What a case's `baseline` names: a function of the inputs.
COMPUTE = {"matmul": torch.matmul, "softmax": lambda x: torch.softmax(x, dim=-1)}


class Attention:
    """Attention by cuDNN where PyTorch has it for these tensors, else by PyTorch's own kernel."""

    def __init__(self, tensors: list, causal: bool):
        self.tensors, self.causal = tensors, causal

    def __call__(self):
        with sdpa_kernel([SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION], set_priority=True):
            torch.nn.functional.scaled_dot_product_attention(*self.tensors, is_causal=self.causal)


class Copy:
    """Bytes from one place of the device to another: what a kernel that only moves data is measured by."""

    def __init__(self, moved: int):
        # A copy reads what it writes.
        self.source = torch.empty(moved // 2, dtype=torch.uint8, device="cuda")
        self.target = torch.empty_like(self.source)

    def __call__(self):
        self.target.copy_(self.source)


def contender(case: dict, inputs: list, dtypes: list[str]):
    """A function that starts the case's computation once, on the tensors of a call."""
    if case["baseline"] == "copy":
        return Copy(case["bytes"])
    tensors = [to_device(array, dtype) for array, dtype in zip(inputs, dtypes, strict=True)]
    if case["baseline"] == "attention":
        return Attention(tensors, case["causal"])
    return lambda: COMPUTE[case["baseline"]](*tensors)


def wait() -> None:
    torch.cuda.synchronize()


def version() -> str:
    return f"PyTorch {torch.__version__}"
