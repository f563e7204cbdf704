"""Programs that torch exports, through torch.onnx and heddle, against torch itself."""

import numpy as np
import pytest

import heddle

torch = pytest.importorskip("torch")
pytest.importorskip("onnxscript", reason="torch.onnx needs it")


class Convolutional(torch.nn.Module):
    """Convolution, normalisation, pooling and a classifier."""

    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.scale = torch.nn.BatchNorm2d(8)
        self.classes = torch.nn.Linear(8 * 4 * 4, 5)

    def forward(self, image):
        features = torch.relu(self.scale(self.convolution(image)))
        pooled = torch.nn.functional.max_pool2d(features, 2).flatten(1)
        return torch.softmax(self.classes(pooled), -1)


class Encoder(torch.nn.Module):
    """An embedding and one layer of a transformer."""

    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(100, 32)
        self.layer = torch.nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, norm_first=True)

    def forward(self, tokens):
        return self.layer(self.embedding(tokens))


def seeded(network: type) -> torch.nn.Module:
    torch.manual_seed(0)
    return network().eval()


def check(program, module, argument, output, **options):
    model = heddle.load(heddle.compile(program, output, **options))
    with torch.no_grad():
        expected = module(argument).numpy()
    (result,) = model(argument).values()  # a torch tensor is a DLPack tensor
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("network, argument", [
    (Convolutional, torch.linspace(-1, 1, 2 * 3 * 8 * 8).reshape(2, 3, 8, 8)),
    (Encoder, torch.arange(14).reshape(2, 7) * 7),
], ids=["convolutional", "encoder"])
def test_exported_program(tmp_path, network, argument):
    module = seeded(network)
    check(torch.export.export(module, (argument,)), module, argument, tmp_path / "torch.heddle")


def test_open_dimension_is_fixed(tmp_path):
    module, argument = seeded(Encoder), torch.arange(21).reshape(3, 7)
    program = torch.export.export(module, (argument,), dynamic_shapes=({0: torch.export.Dim("batch", min=2, max=64)},))
    # torch makes up the names of open dimensions; those of inputs are the arguments'.
    check(program, module, argument, tmp_path / "open.heddle", shapes={"tokens": (3, 7)})
