"""Digits with a convolutional network: train, look at what its filters see, and which digits it takes for which.

Runs unchanged on PyTorch (`python digits.py`) and on flambeau (`flambeau run digits.py`).
"""

# --- data
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split

DATA = Path(__file__).parents[2] / "packages/flambeau/src/flambeau/demo/digits.npz"

torch.manual_seed(1)
data = np.load(DATA)
images = torch.from_numpy(data["images"].astype("float32") / 16).view(-1, 1, 8, 8)
labels = torch.from_numpy(data["labels"].astype("int64"))
train, test = random_split(TensorDataset(images, labels), [1500, len(labels) - 1500])
print(f"{len(train)} images to train on, {len(test)} to test on")

# --- network
model = nn.Sequential(
    nn.Conv2d(1, 8, 3, padding=1),
    nn.ReLU(),
    nn.Conv2d(8, 16, 3, padding=1),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Linear(16 * 4 * 4, 10),
)
print(sum(p.numel() for p in model.parameters()), "parameters")

# --- training
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
for epoch in range(8):
    total = 0.0
    for x, y in DataLoader(train, batch_size=50, shuffle=True):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch + 1}: mean loss {total / 30:.3f}")

# --- mistakes
with torch.no_grad():
    x, y = next(iter(DataLoader(test, batch_size=len(test))))
    predicted = model(x).argmax(1)
print(f"accuracy {(predicted == y).float().mean():.3f}")
confusion = torch.zeros(10, 10, dtype=torch.int64)
confusion.index_put_((y, predicted), torch.ones_like(y), accumulate=True)
print(confusion)

# --- picture
if len(sys.argv) > 1:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplot_mosaic(
        "abcdX;efghX", figsize=(8, 3.6), layout="constrained", width_ratios=[1, 1, 1, 1, 4.2]
    )
    for place, kernel in zip("abcdefgh", model[0].weight.detach(), strict=True):
        axes[place].imshow(kernel[0].numpy(), cmap="PuOr", vmin=-0.6, vmax=0.6)
        axes[place].set_axis_off()
    figure.text(0.02, 0.94, "Filters of the first layer")
    axes["X"].imshow(confusion.numpy() ** 0.5, cmap="Oranges")
    for i in range(10):
        for j in range(10):
            if n := confusion[i, j].item():
                color = "white" if n > 10 else "black"
                axes["X"].text(j, i, str(n), ha="center", va="center", fontsize=7, color=color)
    axes["X"].set(
        title="Confusion matrix",
        xlabel="predicted",
        ylabel="digit",
        xticks=range(10),
        yticks=range(10),
    )
    figure.savefig(sys.argv[1], dpi=110)
