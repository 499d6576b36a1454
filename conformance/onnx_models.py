"""Models of many kinds as ONNX: each is exported, checked, and run by onnxruntime beside Python.

    python conformance/onnx_models.py --json conformance/onnx_models.json

It needs onnx and onnxruntime, and takes what is installed of vit-pytorch, stable-baselines3, nflows and normflows. The
largest difference is relative to the largest element, of the arguments of the export and of another batch.
"""

import argparse
import ast
import json
import math
import sys
import types
import warnings
from pathlib import Path

import numpy as np

import flambeau as torch

torch.install_as_torch()
from flambeau import nn  # noqa: E402
from flambeau.nn import functional as F  # noqa: E402

TUTORIALS = Path(__file__).parents[1] / "examples" / "tutorials"
MODELS = {}


def model(name, *sizes):
    """Declare what makes a model, and the arguments: shapes, whose first size may vary, or a function of the batch."""

    def declare(make):
        MODELS[name] = make, sizes
        return make

    return declare


class Applied(nn.Module):
    """A module whose forward is a function."""

    def __init__(self, function, **modules):
        super().__init__()
        self.function = function
        for key, module in modules.items():
            self.add_module(key, module)

    def forward(self, *args):
        return self.function(self, *args)


def mlp(*sizes, act=nn.Tanh):
    layers = [part for a, b in zip(sizes, sizes[1:], strict=False) for part in (nn.Linear(a, b), act())]
    return nn.Sequential(*layers[:-1])


def block(inputs, outputs, stride=1, groups=1):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, stride, 1, groups=groups), nn.BatchNorm2d(outputs), nn.ReLU())


def words(vocabulary, time):
    return lambda n: torch.randint(0, vocabulary, (n, time), generator=torch.Generator().manual_seed(n))


# --- feed-forward ---------------------------------------------------------------------------------------------------

model("MLP", (3, 8))(lambda: mlp(8, 32, 32, 2, act=nn.ReLU))
model("MLP with layer norms and dropout", (3, 8))(
    lambda: nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Dropout(0.2), nn.Linear(16, 3))
)
model("residual MLP", (3, 8))(lambda: Applied(lambda m, x: m.c(F.silu(x + m.b(F.silu(m.a(x))))),
                                              a=nn.Linear(8, 16), b=nn.Linear(16, 8), c=nn.Linear(8, 2)))  # fmt: skip
model("sinusoidal network", (5, 2))(
    lambda: Applied(lambda m, x: m.c(torch.sin(5 * m.b(torch.sin(5 * m.a(x))))), a=nn.Linear(2, 32),
                    b=nn.Linear(32, 32), c=nn.Linear(32, 3))
)  # fmt: skip


@model("radiance field with positional encoding", (4, 3))
def field():
    def run(m, x):
        turns = x[..., None] * 2.0 ** torch.arange(6) * math.pi
        made = m.net(torch.cat([turns.sin(), turns.cos()], -1).flatten(1))
        return made[:, :3].sigmoid(), F.softplus(made[:, 3:])

    return Applied(run, net=mlp(36, 32, 32, 4, act=nn.ReLU))


model("mixture density network", (4, 3))(
    lambda: Applied(lambda m, x: (lambda y: (y[:, :3].softmax(1), y[:, 3:6], y[:, 6:].exp()))(m.net(x)),
                    net=mlp(3, 16, 9))
)  # fmt: skip
model("variational autoencoder", (4, 12))(
    lambda: Applied(
        lambda m, x: (m.back(m.code(x)[:, :3]), m.code(x).chunk(2, 1)[1]), code=mlp(12, 16, 6), back=mlp(3, 16, 12)
    )
)

# --- images ---------------------------------------------------------------------------------------------------------

model("CNN", (2, 3, 16, 16))(lambda: nn.Sequential(block(3, 8), nn.MaxPool2d(2), block(8, 16), nn.AdaptiveAvgPool2d(1),
                                                   nn.Flatten(), nn.Linear(16, 4)))  # fmt: skip
model("VGG", (2, 3, 32, 32))(lambda: nn.Sequential(
    block(3, 8), block(8, 8), nn.MaxPool2d(2), block(8, 16), block(16, 16), nn.MaxPool2d(2), nn.Flatten(),
    nn.Linear(1024, 32), nn.ReLU(), nn.Dropout(), nn.Linear(32, 10)))  # fmt: skip
model("ResNet", (2, 3, 16, 16))(lambda: Applied(
    lambda m, x: m.head(F.relu(m.short(m.stem(x)) + m.two(m.one(m.stem(x)))).mean((2, 3))), stem=block(3, 8),
    one=block(8, 16, 2), two=nn.Sequential(nn.Conv2d(16, 16, 3, padding=1), nn.BatchNorm2d(16)),
    short=nn.Conv2d(8, 16, 1, 2), head=nn.Linear(16, 5)))  # fmt: skip
model("MobileNet block with squeeze and excitation", (2, 8, 12, 12))(lambda: Applied(
    lambda m, x: (lambda y: x + m.out(y * m.gate(y.mean((2, 3), keepdim=True))))(m.deep(m.wide(x))),
    wide=nn.Sequential(nn.Conv2d(8, 24, 1), nn.BatchNorm2d(24), nn.Hardswish()), deep=block(24, 24, groups=24),
    gate=nn.Sequential(nn.Conv2d(24, 6, 1), nn.ReLU(), nn.Conv2d(6, 24, 1), nn.Hardsigmoid()),
    out=nn.Conv2d(24, 8, 1)))  # fmt: skip
model("DenseNet", (2, 4, 12, 12))(lambda: Applied(
    lambda m, x: (lambda y: (lambda z: m.head(F.avg_pool2d(torch.cat([z, m.two(z)], 1), 12).flatten(1)))(
        torch.cat([y, m.one(y)], 1)))(x), one=block(4, 4), two=block(8, 4), head=nn.Linear(12, 3)))  # fmt: skip
model("U-Net", (2, 3, 16, 16))(lambda: Applied(
    lambda m, x: (lambda a: (lambda b: m.out(torch.cat([a, m.up2(torch.cat([b, m.up1(m.low(F.max_pool2d(b, 2)))], 1))],
                  1)))(m.down(F.max_pool2d(a, 2))))(m.first(x)),
    first=block(3, 8), down=block(8, 16), low=block(16, 32), up1=nn.ConvTranspose2d(32, 16, 2, 2),
    up2=nn.ConvTranspose2d(32, 8, 2, 2), out=nn.Conv2d(16, 2, 1)))  # fmt: skip
model("convolutional autoencoder", (2, 1, 16, 16))(lambda: nn.Sequential(
    nn.Conv2d(1, 8, 4, 2, 1), nn.ReLU(), nn.Conv2d(8, 4, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(4, 8, 4, 2, 1),
    nn.ReLU(), nn.ConvTranspose2d(8, 1, 4, 2, 1), nn.Sigmoid()))  # fmt: skip
model("generator of a GAN", (2, 10))(lambda: nn.Sequential(
    nn.Unflatten(1, (10, 1, 1)), nn.ConvTranspose2d(10, 16, 4), nn.BatchNorm2d(16), nn.ReLU(),
    nn.ConvTranspose2d(16, 3, 4, 2, 1), nn.Tanh()))  # fmt: skip
model("discriminator of a GAN", (2, 3, 16, 16))(lambda: nn.Sequential(
    nn.Conv2d(3, 8, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(8, 16, 4, 2, 1), nn.InstanceNorm2d(16, affine=True),
    nn.LeakyReLU(0.2), nn.Conv2d(16, 1, 4), nn.Flatten()))  # fmt: skip
model("super-resolution", (2, 1, 8, 8))(lambda: Applied(
    lambda m, x: F.pixel_shuffle(m.b(F.relu(m.a(x))), 2) + F.interpolate(x, scale_factor=2, mode="bicubic"),
    a=nn.Conv2d(1, 8, 5, padding=2), b=nn.Conv2d(8, 4, 3, padding=1)))  # fmt: skip
model("ConvNeXt block", (2, 8, 8, 8))(lambda: Applied(
    lambda m, x: x + m.two(F.gelu(m.one(m.norm(m.deep(x).permute(0, 2, 3, 1))))).permute(0, 3, 1, 2),
    deep=nn.Conv2d(8, 8, 7, padding=3, groups=8), norm=nn.LayerNorm(8), one=nn.Linear(8, 32),
    two=nn.Linear(32, 8)))  # fmt: skip

# --- sequences ------------------------------------------------------------------------------------------------------

model("LSTM tagger", words(20, 7))(lambda: Applied(lambda m, x: m.head(m.rnn(m.table(x))[0]), table=nn.Embedding(20, 8),
    rnn=nn.LSTM(8, 6, 2, bidirectional=True, batch_first=True), head=nn.Linear(12, 5)))  # fmt: skip
model("GRU classifier", (3, 9, 4))(lambda: Applied(lambda m, x: m.head(m.rnn(x)[1][-1]),
    rnn=nn.GRU(4, 8, 2, batch_first=True), head=nn.Linear(8, 3)))  # fmt: skip
model("Elman network", (3, 9, 4))(lambda: nn.RNN(4, 8, batch_first=True))
model("attention over an LSTM", (3, 9, 4))(lambda: Applied(
    lambda m, x: (lambda h: (h * m.score(h).softmax(1)).sum(1))(m.rnn(x)[0]), rnn=nn.LSTM(4, 8, batch_first=True),
    score=nn.Linear(8, 1)))  # fmt: skip
model("WaveNet", (2, 4, 32))(lambda: Applied(
    lambda m, x: x + m.out(torch.tanh(m.a(F.pad(x, (4, 0)))) * torch.sigmoid(m.b(F.pad(x, (4, 0))))),
    a=nn.Conv1d(4, 8, 2, dilation=4), b=nn.Conv1d(4, 8, 2, dilation=4), out=nn.Conv1d(8, 4, 1)))  # fmt: skip
model("Transformer encoder", (2, 6, 16))(lambda: nn.TransformerEncoder(
    nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, norm_first=True, activation="gelu"), 2,
    enable_nested_tensor=False))  # fmt: skip
model("Transformer", (2, 6, 16), (2, 4, 16))(lambda: nn.Transformer(16, 4, 1, 1, 32, batch_first=True))


@model("causal language model", words(30, 8))
def language():
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.two, self.all, self.out = (
                nn.LayerNorm(16),
                nn.LayerNorm(16),
                nn.Linear(16, 48),
                nn.Linear(16, 16),
            )
            self.net = mlp(16, 64, 16, act=nn.GELU)

        def forward(self, x):
            q, k, v = (t.unflatten(-1, (2, 8)).transpose(1, 2) for t in self.all(self.one(x)).chunk(3, -1))
            seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(seen.transpose(1, 2).flatten(2))
            return x + self.net(self.two(x))

    def run(m, ids):
        return m.blocks(m.table(ids) + m.places(torch.arange(ids.shape[1]))) @ m.table.weight.T

    blocks = nn.Sequential(Block(), Block())
    return Applied(run, table=nn.Embedding(30, 16), places=nn.Embedding(8, 16), blocks=blocks)


# --- sets, graphs, flows --------------------------------------------------------------------------------------------

model("PointNet", (3, 10, 3))(lambda: Applied(lambda m, x: m.after(m.before(x).amax(1)),
    before=mlp(3, 16, 16, act=nn.ReLU), after=mlp(16, 8, 4, act=nn.ReLU)))  # fmt: skip
model("graph convolution", (2, 6, 4), (2, 6, 6))(lambda: Applied(
    lambda m, x, a: m.b(F.relu(a.softmax(-1) @ m.a(x))).mean(1), a=nn.Linear(4, 8), b=nn.Linear(8, 3)))  # fmt: skip


@model("message passing on edges", (6, 4))
def messages():
    class Messages(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = mlp(8, 8, 4)
            self.register_buffer("begins", torch.tensor([0, 1, 2, 3, 4, 5, 0]))
            self.register_buffer("ends", torch.tensor([1, 2, 3, 4, 5, 0, 3]))

        def forward(self, x):
            sent = self.net(torch.cat([x[self.begins], x[self.ends]], 1))
            return torch.zeros_like(x).index_add(0, self.ends, sent) + x

    return Messages()


model("masked mean of tokens", words(12, 6))(lambda: Applied(
    lambda m, ids: (lambda kept: (m.table(ids) * kept).sum(1) / kept.sum(1).clamp(min=1))((ids > 0)[..., None].float()),
    table=nn.Embedding(12, 8)))  # fmt: skip


@model("normalizing flow", (5, 6))
def flow():
    def run(m, x):
        total = torch.zeros(x.shape[0])
        for net in m.nets:
            a, b = x.chunk(2, 1)
            scale, shift = net(a).chunk(2, 1)
            x, total = torch.cat([b * scale.tanh().exp() + shift, a], 1), total + scale.tanh().sum(1)
        return x, total - 0.5 * (x * x).sum(1)

    return Applied(run, nets=nn.ModuleList([mlp(3, 16, 6) for _ in range(4)]))


@model("dueling Q-network", (4, 6))
def dueling():
    def run(m, x):
        h = m.body(x).relu()
        gain = m.gain(h)
        return (m.value(h) + gain - gain.mean(1, keepdim=True)).argmax(1)

    return Applied(run, body=nn.Linear(6, 16), value=nn.Linear(16, 1), gain=nn.Linear(16, 4))


# --- the tutorials --------------------------------------------------------------------------------------------------


def of_tutorial(name, wanted):
    """What a tutorial defines: its classes, and the names that are wanted, without running the rest."""
    tree = ast.parse((TUTORIALS / f"{name}.py").read_text())
    kept = [
        part
        for part in tree.body
        if isinstance(part, (ast.ClassDef, ast.Import, ast.ImportFrom))
        or (isinstance(part, ast.Assign) and any(n.id in wanted for n in ast.walk(part.targets[0]) if hasattr(n, "id")))
    ]
    names = {}
    exec(compile(ast.Module(kept, []), name, "exec"), names)  # noqa: S102
    return names


model("tutorial: digits", (3, 1, 8, 8))(lambda: of_tutorial("digits", {"model"})["model"])
model("tutorial: balance", (3, 4))(lambda: of_tutorial("balance", {"policy"})["policy"])
model("tutorial: numerals", words(10, 6))(lambda: of_tutorial("numerals", {"ALPHABET"})["Writer"]())
model("tutorial: sentences", words(50, 6), lambda n: torch.ones(n, 6, dtype=torch.bool))(
    lambda: of_tutorial("sentences", set())["Encoder"](48, 2, 4, 96, 50, 16)
)

# --- packages -------------------------------------------------------------------------------------------------------

VIT = {
    "ViT": "vit:ViT", "SimpleViT": "simple_vit:SimpleViT", "DeepViT": "deepvit:DeepViT", "CaiT": "cait:CaiT",
    "PiT": "pit:PiT", "ParallelViT": "parallel_vit:ViT", "CCT": "cct:CCT", "MobileViT": "mobile_vit:MobileViT",
}  # fmt: skip
OPTIONS = {
    "CaiT": {"cls_depth": 1}, "PiT": {"depth": (1, 1)},
    "CCT": {"img_size": 32, "embedding_dim": 32, "n_conv_layers": 1, "kernel_size": 3, "stride": 2, "padding": 1,
            "num_layers": 1, "num_heads": 2, "mlp_ratio": 1.0, "num_classes": 5, "positional_embedding": "learnable"},
    "MobileViT": {"image_size": (64, 64), "dims": [24, 28, 32], "channels": [8, 8, 12, 12, 16, 16, 16, 16, 16, 16, 24],
                  "num_classes": 5},
}  # fmt: skip


def vit(name):
    def make():
        sys.modules.setdefault("torchvision", types.ModuleType("torchvision")).transforms = None  # for training alone
        module, _, kind = VIT[name].partition(":")
        options = {
            "image_size": 32,
            "patch_size": 8,
            "num_classes": 5,
            "dim": 32,
            "depth": 1,
            "heads": 2,
            "mlp_dim": 32,
        }
        given = OPTIONS.get(name, {})
        options = given if "num_classes" in given else options | given
        return getattr(__import__(f"vit_pytorch.{module}", fromlist=[kind]), kind)(**options)

    return make


for each in VIT:
    model(f"vit-pytorch: {each}", (2, 3, 64, 64) if each == "MobileViT" else (2, 3, 32, 32))(vit(each))


def policy(kind, sizes):
    def make():
        import gymnasium as gym
        import stable_baselines3 as sb3

        seen = gym.spaces.Box(-1, 1, sizes)
        acts = gym.spaces.Discrete(3) if kind in ("DQN",) else gym.spaces.Box(-1, 1, (2,))

        class Nothing(gym.Env):
            observation_space, action_space = seen, acts

            def reset(self, *, seed=None, options=None):
                return np.zeros(sizes, np.float32), {}

            def step(self, action):
                return np.zeros(sizes, np.float32), 0.0, False, False, {}

        made = getattr(sb3, kind)("MlpPolicy", Nothing(), device="cpu").policy
        if kind == "SAC":
            return Applied(lambda m, x: m.actor.get_action_dist_params(x)[0].tanh(), actor=made.actor)
        if kind == "TD3":
            return made.actor
        if kind == "DQN":
            return made.q_net
        return Applied(lambda m, x: (m.p.get_distribution(x).distribution.mean, m.p.predict_values(x)), p=made)

    return make


for each in ("PPO", "A2C", "SAC", "TD3", "DQN"):
    model(f"stable-baselines3: {each}", (3, 6))(policy(each, (6,)))


@model("nflows: masked autoregressive flow", (4, 5))
def autoregressive():
    from nflows.transforms import CompositeTransform, MaskedAffineAutoregressiveTransform, ReversePermutation

    parts = [part for _ in range(2) for part in (
        ReversePermutation(5), MaskedAffineAutoregressiveTransform(features=5, hidden_features=16))]  # fmt: skip
    return CompositeTransform(parts)


@model("normflows: RealNVP", (4, 2))
def real_nvp():
    import normflows

    flows = []
    for _ in range(2):
        flows += [normflows.flows.AffineCouplingBlock(normflows.nets.MLP([1, 16, 16, 2], init_zeros=True)),
                  normflows.flows.Permute(2, mode="swap")]  # fmt: skip
    made = normflows.NormalizingFlow(normflows.distributions.base.DiagGaussian(2), flows)
    return Applied(lambda m, x: m.flow.log_prob(x), flow=made)


# --- comparison -----------------------------------------------------------------------------------------------------


def tensors(o):
    if isinstance(o, torch.Tensor):
        return [o]
    items = o.values() if isinstance(o, dict) else o if isinstance(o, (list, tuple)) else ()
    return [t for each in items for t in tensors(each)]


def compared(make, sizes):
    """(nodes, largest difference, whether the batch may have other sizes)."""
    torch.manual_seed(0)
    net = make().eval()

    def arguments(n):
        return tuple(size(n) if callable(size) else torch.randn((n, *size[1:])) for size in sizes)

    first = 2 if callable(sizes[0]) else sizes[0][0]
    given = arguments(first)
    batch = torch.export.Dim("batch")
    options = {"dynamic_shapes": tuple({0: batch} for _ in given)}
    varies = True
    try:
        program = torch.onnx.export(net, given, **options)
    except torch.onnx.OnnxExporterError:
        varies, program = False, torch.onnx.export(net, given)
    worst = 0.0
    for each in [given, arguments(first + 1)] if varies else [given]:
        with torch.no_grad():
            expected = tensors(net(*each))
        for a, b in zip(program(*each), expected, strict=True):
            assert a.dtype == b.dtype and a.shape == b.shape
            size = max(1.0, float(b.abs().max()))
            worst = max(worst, float((a.double() - b.double()).abs().max()) / size)
    return len(program.model_proto.graph.node), worst, varies


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", help="where the results go")
    parser.add_argument("names", nargs="*", help="of models; left out, all")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    found, failed = {}, {}
    for name, (make, sizes) in MODELS.items():
        if given.names and name not in given.names:
            continue
        try:
            nodes, worst, varies = compared(make, sizes)
        except Exception as error:  # noqa: BLE001
            failed[name] = f"{type(error).__name__}: {str(error)[:160]}"
            print(f"{name}: {failed[name]}", flush=True)
            continue
        good = worst <= 1e-5
        (found if good else failed)[name] = {"nodes": nodes, "difference": worst, "other_sizes": varies}
        print(
            f"{name}: {nodes} nodes, {worst:.1e}{'' if varies else ', fixed sizes'}{'' if good else ', DIFFERENT'}",
            flush=True,
        )
    print(f"{len(found)} models agree, {len(failed)} do not")
    if given.json:
        Path(given.json).write_text(json.dumps({"models": found, "failed": failed}, indent=1) + "\n")


if __name__ == "__main__":
    main()
