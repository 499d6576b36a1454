"""torch.summary: tables of networks."""

import flambeau as torch
from flambeau import nn


def table(model, *args):
    return {row.path: row[2:] for row in torch.summary(model, *args).rows}


def test_a_network_of_convolutions():
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 4 * 4, 10)
    )
    seen = torch.summary(model, torch.zeros(2, 3, 4, 4))
    assert seen.parameters == 8 * 27 + 8 + 16 + 1280 + 10 == seen.trainable
    assert [row.shape for row in seen.rows] == [(2, 10), (2, 8, 4, 4), (2, 8, 4, 4), (2, 8, 4, 4), (2, 128), (2, 10)]
    assert [row.multiply_adds for row in seen.rows] == [0, 2 * 8 * 16 * 27, 0, 0, 0, 2 * 1280]
    assert seen.multiply_adds == 6912 + 2560 and model.training and int(model[1].num_batches_tracked) == 0
    assert not any(m._forward_hooks for m in model.modules())


def test_products_by_kind():
    x = torch.zeros(2, 5, 4)
    assert table(nn.LSTM(4, 3, 2, batch_first=True), x)[""] == ((2, 5, 3), 204, 10 * (12 * 7 + 12 * 6))
    assert table(nn.GRUCell(4, 3), x[0])[""][2] == 5 * 9 * 7
    assert table(nn.ConvTranspose1d(5, 6, 3), x)[""][2] == 40 * 6 * 3
    assert table(nn.Conv1d(4, 4, 3, groups=4), x.transpose(1, 2))[""][2] == 2 * 4 * 3 * 3
    attention = table(nn.MultiheadAttention(4, 2, batch_first=True), (x, x, x))
    assert attention[""][0] == (2, 5, 4) and attention[""][2] == 10 * (4 * 16 + 2 * 5 * 4)
    mixed = nn.MultiheadAttention(4, 2, kdim=3, vdim=6, batch_first=True)
    given = {"query": x, "key": torch.zeros(2, 7, 3), "value": torch.zeros(2, 7, 6)}
    assert table(mixed, given)[""][2] == 10 * 32 + 14 * 4 * (3 + 6) + 2 * 10 * 4 * 7
    assert table(mixed, tuple(given.values())) == table(mixed, given)
    assert table(nn.Bilinear(4, 3, 6), (torch.zeros(2, 4), torch.zeros(2, 3)))[""][2] == 12 * 4 * 4


def test_nested_shared_frozen_and_unused_modules():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Sequential(nn.Linear(3, 3))
            self.again = self.inner[0]
            self.unused = nn.Linear(1, 1)

        def forward(self, x, scale=1):
            return {"y": self.again(self.inner(x)) * scale}

    model = Model()
    model.unused.requires_grad_(False)
    seen = torch.summary(model, {"x": torch.zeros(1, 3), "scale": 2})
    assert str(seen).splitlines() == [
        "module               returns  parameters  multiply-adds",
        "-------------------------------------------------------",
        "Model                [1, 3]",
        "  inner: Sequential  [1, 3]",
        "    0: Linear        [1, 3]           12             18",
        "  unused: Linear     -                 2",
        "-------------------------------------------------------",
        "total                                 14             18",
        "2 of the parameters do not require grad",
    ]
