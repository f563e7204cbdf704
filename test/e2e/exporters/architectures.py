"""Small configurations of well known torch architectures, with the sizes that their calls choose; `export.py` writes them.

Few layers and small widths: what counts is the graphs, which are those of the large models.
"""
import torch
import torchvision
import transformers
from torch import nn
from torch.nn import functional as F

ARCHITECTURES = {}
# One operator for a whole layer, which the older exporter does not know.
torch.backends.mha.set_fastpath_enabled(False)
# What the dimensions of each are called, and the least and the greatest size (and a divisor, where it has one).
BATCH, LENGTH, IMAGE = {"batch": (1, 8)}, {"length": (1, 48)}, {"height": (1, 80), "width": (1, 80)}
TOKENS = ("batch", "length")


def architecture(inputs, sizes, **more):
    """Of a function that makes the module. An input: name, shape, and for integers how many values there are."""
    def register(make):
        ARCHITECTURES[make.__name__] = dict(make=make, inputs=inputs, sizes=sizes, **more)
        return make
    return register


def image(channels=3, height="height", width="width"):
    return [("image", ("batch", channels, height, width), None)]


def tokens(*more, words=60):
    return [("tokens", TOKENS, words), *more]


class Wrapped(nn.Module):
    """A model of transformers, called by position, with tensors as results."""

    def __init__(self, model, call):
        super().__init__()
        self.model, self.call = model, call

    # Exporters take no `*arguments`.
    def forward(self, first, second=None, third=None, fourth=None, fifth=None):
        return self.call(self.model, *(value for value in (first, second, third, fourth, fifth) if value is not None))


def encoder(configuration, kind, **options):
    return Wrapped(kind(configuration(vocab_size=60, **options)), lambda model, ids, mask: model(input_ids=ids, attention_mask=mask)[0])


MASK = ("mask", TOKENS, "mask")


@architecture([("x", ("batch", 12), None)], {"batch": (1, 64)})
def mlp():
    return nn.Sequential(nn.Linear(12, 40), nn.ReLU(), nn.Linear(40, 40), nn.GELU(), nn.LayerNorm(40), nn.Linear(40, 7), nn.Softmax(-1))


class Recurrent(nn.Module):
    def __init__(self, cell, **options):
        super().__init__()
        self.cell, self.head = cell(10, 16, batch_first=True, **options), nn.Linear(32 if options.get("bidirectional") else 16, 5)

    def forward(self, x):
        y, _ = self.cell(x)
        return self.head(y), y[:, -1]


SEQUENCE = [("x", ("batch", "length", 10), None)]


# torch.export unrolls a recurrence, over the length of its example.
@architecture(SEQUENCE, BATCH | LENGTH, fixed={"dynamo": "length"})
def lstm():
    return Recurrent(nn.LSTM, num_layers=2, bidirectional=True)


@architecture(SEQUENCE, BATCH | LENGTH, fixed={"dynamo": "length"})
def gru():
    return Recurrent(nn.GRU, num_layers=2)


class Causal(nn.Module):
    """A block of a temporal convolution net: padded on both sides, the future cut away."""

    def __init__(self, inward, outward, dilation):
        super().__init__()
        self.pad = 2 * dilation
        self.first = nn.Conv1d(inward, outward, 3, padding=self.pad, dilation=dilation)
        self.second = nn.Conv1d(outward, outward, 3, padding=self.pad, dilation=dilation)
        self.beside = nn.Conv1d(inward, outward, 1)

    def forward(self, x):
        y = F.relu(self.first(x)[:, :, :-self.pad])
        y = F.relu(self.second(y)[:, :, :-self.pad])
        return F.relu(y + self.beside(x))


@architecture([("x", ("batch", 6, "length"), None)], BATCH | {"length": (1, 100)})
def tcn():
    return nn.Sequential(Causal(6, 16, 1), Causal(16, 16, 2), Causal(16, 20, 4))


@architecture(image(), BATCH | IMAGE)
def resnet():
    model = torchvision.models.resnet.ResNet(torchvision.models.resnet.Bottleneck, [1, 1, 1, 1], num_classes=10, width_per_group=8)
    model.fc = nn.Linear(2048, 10)
    return model


@architecture(image(), BATCH | IMAGE)
def mobilenet_v2():
    return torchvision.models.mobilenet_v2(width_mult=0.25, num_classes=10, inverted_residual_setting=[[1, 16, 1, 1], [6, 24, 2, 2], [6, 32, 2, 2], [6, 64, 1, 2]])


@architecture(image(), BATCH | IMAGE)
def mobilenet_v3():
    block = torchvision.models.mobilenetv3.InvertedResidualConfig
    setting = [block(16, 3, 16, 16, True, "RE", 2, 1, 1), block(16, 3, 32, 24, False, "RE", 2, 1, 1), block(24, 5, 48, 32, True, "HS", 2, 1, 1), block(32, 5, 64, 32, True, "HS", 1, 1, 1)]
    return torchvision.models.MobileNetV3(setting, last_channel=64, num_classes=10)


@architecture(image(), BATCH | IMAGE)
def efficientnet():
    block, fused = torchvision.models.efficientnet.MBConvConfig, torchvision.models.efficientnet.FusedMBConvConfig
    return torchvision.models.EfficientNet([fused(2, 3, 2, 16, 16, 1), block(1, 3, 1, 16, 16, 1), block(4, 3, 2, 16, 24, 2), block(4, 5, 2, 24, 32, 1)], dropout=0.2, num_classes=10)


@architecture(image(), BATCH | {"height": (16, 80), "width": (16, 80)})
def densenet():
    return torchvision.models.DenseNet(growth_rate=8, block_config=(2, 2, 2), num_init_features=16, num_classes=10)


@architecture(image(), BATCH | {"height": (16, 80), "width": (16, 80)})
def convnext():
    block = torchvision.models.convnext.CNBlockConfig
    return torchvision.models.ConvNeXt([block(16, 24, 1), block(24, 32, 1), block(32, None, 1)], num_classes=10)


@architecture(image(), BATCH | {"height": (8, 80), "width": (8, 80)})
def vgg():
    return nn.Sequential(torchvision.models.vgg.make_layers([16, "M", 24, 24, "M", 32, "M"], batch_norm=True), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 32), nn.ReLU(), nn.Dropout(), nn.Linear(32, 10))


def twice(inward, outward):
    return nn.Sequential(nn.Conv2d(inward, outward, 3, padding=1), nn.BatchNorm2d(outward), nn.ReLU(), nn.Conv2d(outward, outward, 3, padding=1), nn.ReLU())


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.low = twice(3, 8), twice(8, 16), twice(16, 24)
        self.up, self.high = nn.ConvTranspose2d(24, 16, 2, 2), nn.ConvTranspose2d(16, 8, 2, 2)
        self.third, self.fourth, self.head = twice(32, 16), twice(16, 8), nn.Conv2d(8, 2, 1)

    def forward(self, x):
        a = self.first(x)
        b = self.second(F.max_pool2d(a, 2))
        c = self.low(F.max_pool2d(b, 2))
        d = self.third(torch.cat([self.up(c), b], 1))
        return self.head(self.fourth(torch.cat([self.high(d), a], 1)))


@architecture(image(), BATCH | {"height": (4, 80, 4), "width": (4, 80, 4)})
def unet():
    return UNet()


class Pyramid(nn.Module):
    def __init__(self):
        super().__init__()
        self.levels = nn.ModuleList([nn.Conv2d(3, 8, 3, 2, 1), nn.Conv2d(8, 16, 3, 2, 1), nn.Conv2d(16, 24, 3, 2, 1)])
        self.beside = nn.ModuleList([nn.Conv2d(c, 12, 1) for c in (8, 16, 24)])
        self.head = nn.Conv2d(12, 3, 3, padding=1)

    def forward(self, x):
        size, levels = x.shape[-2:], []
        for level in self.levels:
            x = F.relu(level(x))
            levels.append(x)
        y = self.beside[2](levels[2])
        for beside, level in ((self.beside[1], levels[1]), (self.beside[0], levels[0])):
            y = beside(level) + F.interpolate(y, size=level.shape[-2:], mode="nearest")
        return F.interpolate(self.head(y), size=size, mode="bilinear", align_corners=False)


@architecture(image(), BATCH | IMAGE)
def pyramid():
    return Pyramid()


@architecture(image(height=32, width=32), BATCH)
def vit():
    return torchvision.models.VisionTransformer(image_size=32, patch_size=8, num_layers=2, num_heads=2, hidden_dim=32, mlp_dim=64, num_classes=10)


@architecture(image(height=32, width=32), BATCH)
def swin():
    return torchvision.models.SwinTransformer(patch_size=[4, 4], embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=[4, 4], num_classes=10)


SMALL = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64)


@architecture(tokens(MASK), BATCH | LENGTH)
def bert():
    return encoder(transformers.BertConfig, transformers.BertModel, max_position_embeddings=48, **SMALL)


@architecture(tokens(MASK), BATCH | LENGTH)
def distilbert():
    return encoder(transformers.DistilBertConfig, transformers.DistilBertModel, max_position_embeddings=48, dim=32, n_layers=2, n_heads=4, hidden_dim=64)


@architecture(tokens(MASK), BATCH | LENGTH)
def roberta():
    return encoder(transformers.RobertaConfig, transformers.RobertaModel, max_position_embeddings=50, **SMALL)


@architecture(tokens(MASK), BATCH | LENGTH)
def electra():
    return encoder(transformers.ElectraConfig, transformers.ElectraModel, max_position_embeddings=48, embedding_size=16, **SMALL)


def causal(length, past):
    """What is added to scores: each word sees itself and those before. The exporters do not follow the masks that transformers makes itself."""
    seen = torch.arange(past + length)[None, :] <= torch.arange(past, past + length)[:, None]
    return torch.where(seen, 0.0, -1e9)[None, None]


def written(model, ids, mask):
    return model(input_ids=ids, attention_mask=causal(ids.shape[1], 0) + (1.0 - mask[:, None, None, :].float()) * -1e9).logits


@architecture(tokens(MASK), BATCH | LENGTH)
def gpt2():
    return Wrapped(transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=60, n_positions=48, n_embd=32, n_layer=2, n_head=4, use_cache=False)), written)


def stepped(model, ids, *past):
    cache = transformers.DynamicCache.from_legacy_cache(tuple(zip(past[0::2], past[1::2])))
    mask = causal(ids.shape[1], past[0].shape[2]).expand(ids.shape[0], 1, -1, -1)
    result = model(input_ids=ids, attention_mask=mask, past_key_values=cache, use_cache=True)
    return (result.logits, *(tensor for layer in result.past_key_values.to_legacy_cache() for tensor in layer))


def past(heads, width):
    return [(f"{what}_{layer}", ("batch", heads, "past", width), None) for layer in range(2) for what in ("key", "value")]


@architecture(tokens(*past(4, 8)), BATCH | {"length": (1, 8), "past": (1, 40)})
def gpt2_past():
    return Wrapped(transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=60, n_positions=48, n_embd=32, n_layer=2, n_head=4)), stepped)


LLAMA = dict(vocab_size=60, num_key_value_heads=2, max_position_embeddings=64, **SMALL)


@architecture(tokens(MASK), BATCH | LENGTH)
def llama():
    return Wrapped(transformers.LlamaForCausalLM(transformers.LlamaConfig(use_cache=False, **LLAMA)), written)


@architecture(tokens(*past(2, 8)), BATCH | {"length": (1, 8), "past": (1, 40)})
def llama_past():
    return Wrapped(transformers.LlamaForCausalLM(transformers.LlamaConfig(**LLAMA)), stepped)


T5 = dict(vocab_size=60, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4)


@architecture(tokens(MASK), BATCH | LENGTH)
def t5_encoder():
    return Wrapped(transformers.T5EncoderModel(transformers.T5Config(**T5)), lambda model, ids, mask: model(input_ids=ids, attention_mask=mask)[0])


@architecture(tokens(MASK, ("words", ("batch", "written"), 60)), BATCH | LENGTH | {"written": (1, 24)})
def t5():
    model = transformers.T5ForConditionalGeneration(transformers.T5Config(use_cache=False, **T5))
    return Wrapped(model, lambda model, ids, mask, words: model(input_ids=ids, attention_mask=mask, decoder_input_ids=words).logits)


@architecture([("sound", ("batch", 16, 60), None)], BATCH)
def whisper_encoder():
    model = transformers.WhisperModel(transformers.WhisperConfig(vocab_size=60, num_mel_bins=16, d_model=32, encoder_layers=2, encoder_attention_heads=4, decoder_layers=1, decoder_attention_heads=4,
                                                                 encoder_ffn_dim=64, decoder_ffn_dim=64, max_source_positions=30, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1))
    return Wrapped(model.encoder, lambda model, sound: model(sound)[0])


@architecture([("sound", ("batch", "samples"), None)], BATCH | {"samples": (90, 1200)})
def wav2vec2():
    return Wrapped(transformers.Wav2Vec2Model(transformers.Wav2Vec2Config(vocab_size=20, conv_dim=(16,) * 4, conv_stride=(5, 2, 2, 2), conv_kernel=(10, 3, 3, 2), num_feat_extract_layers=4,
                                                                          num_conv_pos_embeddings=8, num_conv_pos_embedding_groups=4, **SMALL)), lambda model, sound: model(sound)[0])


CLIP = dict(projection_dim=16, **SMALL)


@architecture(tokens(MASK), BATCH | LENGTH)
def clip_text():
    return encoder(transformers.CLIPTextConfig, transformers.CLIPTextModelWithProjection, max_position_embeddings=48, eos_token_id=59, **CLIP)


@architecture(image(height=32, width=32), BATCH)
def clip_image():
    return Wrapped(transformers.CLIPVisionModelWithProjection(transformers.CLIPVisionConfig(image_size=32, patch_size=8, **CLIP)), lambda model, image: model(image)[0])


# The older exporter writes the length of its example where keys and values become heads.
@architecture([("x", ("batch", "length", 32), None)], BATCH | LENGTH, fixed={"script": "length"})
def transformer_encoder():
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, norm_first=True), 2, enable_nested_tensor=False)


@architecture(image(), BATCH | {"height": (4, 80, 4), "width": (4, 80, 4)})
def autoencoder():
    return nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.SiLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.GroupNorm(4, 16), nn.SiLU(),
                         nn.ConvTranspose2d(16, 8, 4, 2, 1), nn.InstanceNorm2d(8, affine=True), nn.LeakyReLU(), nn.ConvTranspose2d(8, 3, 3, 2, 1, output_padding=1), nn.Sigmoid())


class Graph(nn.Module):
    """A graph convolution net on a dense matrix of edges."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(9, 16), nn.Linear(16, 4)

    def forward(self, x, edges):
        edges = edges.abs() + torch.eye(edges.shape[-1])
        scale = edges.sum(-1).rsqrt()
        edges = scale.unsqueeze(-1) * edges * scale.unsqueeze(-2)
        return F.log_softmax(edges @ self.second(F.relu(edges @ self.first(x))), -1)


@architecture([("x", ("batch", "nodes", 9), None), ("edges", ("batch", "nodes", "nodes"), None)], BATCH | {"nodes": (1, 50)})
def graph_convolution():
    return Graph()
