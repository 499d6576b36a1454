"""A program of PyTorch's, whose names type checkers know from the stand-in's stubs (`flambeau.stand_in`)."""

from typing import assert_type

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim
from torch.amp import autocast
from torch.distributions import Normal
from torch.func import grad, vmap
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.fc = nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(F.relu(self.conv(x)).mean((2, 3)))


net = Net()
opt = optim.Adam(net.parameters(), lr=0.1)
sched = StepLR(opt, 3)
data = DataLoader(TensorDataset(torch.rand(8, 1, 5, 5), torch.zeros(8, dtype=torch.long)), batch_size=4)
for x, y in data:
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(torch.linalg.solve(torch.eye(2), torch.ones(2)), torch.fft.fft(torch.ones(3)))
print(Normal(0.0, 1.0).log_prob(torch.ones(1)), vmap(grad(torch.sin))(torch.ones(3)), torch.cuda.is_available())
with torch.no_grad(), autocast("cpu"):
    torch.save(net.state_dict(), "x.pt")
torch.backends.cudnn.benchmark = True
assert_type(net.fc.weight, torch.Tensor)
assert_type(torch.ones(2) + 1, torch.Tensor)
