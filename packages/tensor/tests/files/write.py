"""How the files beside this one were made: PyTorch 2.13 ran this script."""

import collections
import warnings
from pathlib import Path

import torch

HERE = Path(__file__).parent
x = torch.arange(12.0).reshape(3, 4)
z = torch.tensor([1 + 2j])
tagged = torch.ones(2)
tagged.tag = "mine"
names = ("bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128").split()
things = {
    "views": [x, x[1:, ::2], x.t()],
    "dtypes": {name: torch.tensor([0, 1], dtype=getattr(torch, name)) for name in names},
    "grad": torch.ones(2, requires_grad=True),
    "conj": z.conj(),
    "neg": z.clone().conj().imag,
    "tagged": tagged,
    "empty": torch.empty(0, 3),
    "scalar": torch.tensor(5),
    "others": [
        1,
        -1,
        1 << 40,
        -1 << 70,
        2.5,
        "text ü",
        b"bytes",
        bytearray(b"ab"),
        None,
        True,
        (),
        (1,),
        (1, 2, 3, 4),
        {1, 2},
        1j,
        torch.Size([1, 2]),
        torch.device("cpu"),
        torch.device("cuda:1"),
        torch.float16,
        torch.strided,
        collections.OrderedDict(a=1),
        collections.Counter("aab"),
    ],
    "shared": [same := [1], same],
}
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    things["typed"] = torch.tensor([1.0, 2.0]).storage()
torch.save(things, HERE / "things.pt")
torch.save(things, HERE / "things_legacy.pt", _use_new_zipfile_serialization=False)
torch.save(
    {"views": things["views"], "dtypes": things["dtypes"], 3: [torch.Size([1]), z.conj(), 2.5]}, HERE / "same.pt"
)
torch.save(torch.ones(2, dtype=torch.uint16), HERE / "uint16.pt")
