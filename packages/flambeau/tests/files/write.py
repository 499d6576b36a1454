"""How the files beside this one were made: PyTorch 2.13 ran this script."""

import importlib
import pickle
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn

HERE = Path(__file__).parent
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.BatchNorm1d(2), nn.Linear(2, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
model(torch.arange(6.0).view(2, 3)).sum().backward()
optimizer.step()
parameter = nn.Parameter(torch.ones(2), requires_grad=False)
parameter.tag = "mine"
generator = torch.Generator()
generator.manual_seed(5)
states = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "parameter": parameter}
torch.save(states, HERE / "states.pt")
torch.save(
    {
        "model": model.eval(),
        "optimizer": optimizer,
        "generator": generator,
        "number": np.float64(2.5),
        "array": np.arange(3),
        "max": torch.max(torch.ones(2, 2), 0),
        "relu": nn.functional.relu,
        "add": torch.add,
    },
    HERE / "objects.pt",
)
print(model(torch.ones(1, 3)), torch.rand(2, generator=generator))

torch.manual_seed(0)
modules = {
    "encoder": nn.TransformerEncoderLayer(4, 2, 4, activation=nn.functional.gelu, batch_first=True).eval(),
    "lstm": nn.LSTM(4, 2, 2, bidirectional=True),
    "loss": nn.LinearCrossEntropyLoss(4, 3, options=nn.LinearCrossEntropyOptions(batch_chunk_size=2)),
}
x = torch.arange(8.0).view(1, 2, 4)
with torch.no_grad():
    modules["results"] = modules["encoder"](x), modules["lstm"](x)[0]
torch.save(modules, HERE / "modules.pt")

x = torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3), dtype=torch.float64)
sparse = {
    "coo": x.coalesce(),
    "doubled": torch.sparse_coo_tensor([[0, 0], [1, 1]], [1.0, 2.0], (2, 2)),
    "csr": x.to_sparse_csr(),
    "csc": x.to_sparse_csc(),
}
torch.save(sparse, HERE / "sparse.pt")

sys.path.append(str(HERE.parent))
things = importlib.import_module("pickled_things").things()
plain = {name: pickle.dumps(thing, 4) for name, thing in things.items()}
(HERE / "plain.pkl").write_bytes(pickle.dumps(plain))
