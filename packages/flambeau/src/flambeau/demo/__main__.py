"""``python -m flambeau.demo``: train on the digits, report, draw."""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

import flambeau as torch
from flambeau import nn
from flambeau.nn import functional as F

_Pair = tuple[torch.Tensor, torch.Tensor]


def digits(train_share: float = 0.8) -> tuple[_Pair, _Pair]:
    """The images as rows of 64 numbers in [0, 1], shuffled and split: (x, y) to train on and to test on.

    The training set also holds each image moved by one pixel to each side.
    """
    data = np.load(Path(__file__).with_name("digits.npz"))
    x = torch.from_numpy(data["images"].reshape(-1, 64).astype("float32") / 16)
    y = torch.from_numpy(data["labels"].astype("int64"))
    order = torch.randperm(len(y))
    cut = int(len(y) * train_share)
    train, test = order[:cut], order[cut:]
    moved = [shifted(x[train], *by) for by in ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0))]
    return (torch.cat(moved), y[train].repeat(len(moved))), (x[test], y[test])


def shifted(x: torch.Tensor, down: int, right: int) -> torch.Tensor:
    """Shift rows of 64 pixels within their 8x8 images; new pixels are empty."""
    images = torch.zeros(len(x), 10, 10)
    images[:, 1 + down : 9 + down, 1 + right : 9 + right] = x.view(-1, 8, 8)
    return images[:, 1:9, 1:9].reshape(-1, 64)


def progress(steps: int) -> Any:
    """Return tqdm's progress bar, or one of plain lines if tqdm is not installed."""
    try:
        from tqdm import tqdm

        return tqdm(range(steps), desc="training", unit="epoch")
    except ImportError:

        class Lines:
            def __iter__(self):
                for self.n in range(steps):
                    yield self.n

            def set_postfix(self, **values):
                if self.n % 10 == 9:
                    print(f"epoch {self.n + 1}/{steps}", *(f"{k}={v}" for k, v in values.items()))

        return Lines()


def accuracy(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> float:
    """Return the fraction of images whose most likely class is correct."""
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


def train(epochs: int, batch: int, seed: int) -> tuple[nn.Module, list[float], float, _Pair]:
    """Train; returns the model, the loss of every step, seconds per step, and the test set."""
    from flambeau.demo.layer import Swish

    torch.manual_seed(seed)
    (x, y), test = digits()
    model = nn.Sequential(nn.Linear(64, 128), Swish(128), nn.Linear(128, 64), Swish(64), nn.Linear(64, 10))
    print(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    losses, seconds = [], 0.0
    bar = progress(epochs)
    for _ in bar:
        order = torch.randperm(len(y))
        for start in range(0, len(y), batch):
            rows = order[start : start + batch]
            inputs, labels = x[rows], y[rows]
            begin = time.perf_counter()
            optimizer.zero_grad()
            loss = F.cross_entropy(model(inputs), labels)
            loss.backward()
            optimizer.step()
            seconds += time.perf_counter() - begin
            losses.append(loss.item())
        schedule.step()
        bar.set_postfix(loss=f"{losses[-1]:.3f}", accuracy=f"{accuracy(model, *test):.3f}")
    return model, losses, seconds / len(losses), test


def picture(model: nn.Module, losses: list[float], x: torch.Tensor, y: torch.Tensor, path: Path) -> None:
    """Plot the loss curve next to a grid of test digits with their predictions, mistakes in red."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    with torch.no_grad():
        predicted = model(x).argmax(1)
    wrong = [i for i in range(len(y)) if predicted[i] != y[i]]
    shown = (wrong + [i for i in range(len(y)) if i not in wrong])[:30]
    figure = pyplot.figure(figsize=(11, 5), layout="constrained")
    left, right = figure.subfigures(1, 2)  # type: ignore[misc]  # an array of them
    axes = left.subplots()
    means = torch.tensor(losses).unfold(0, 50, 1).mean(1) if len(losses) >= 50 else torch.tensor(losses)
    axes.semilogy(losses, linewidth=0.5, alpha=0.5)
    axes.semilogy(range(len(losses) - len(means), len(losses)), means.numpy(), label="mean of 50 steps")
    axes.set(title="training loss", xlabel="step", ylabel="cross entropy")
    axes.legend()
    for cell, i in zip(right.subplots(5, 6).flat, shown, strict=True):
        cell.imshow(x[i].view(8, 8).numpy(), cmap="gray_r")
        cell.set_axis_off()
        guess, truth = int(predicted[i]), int(y[i])
        title = cell.set_title(f"{guess}" if guess == truth else f"{guess} not {truth}", fontsize=9)
        if guess != truth:
            title.set_color("red")
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def main(arguments: list[str] | None = None) -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="flambeau demo", description="Train a network on handwritten digits.")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--picture", default="digits.png", help="where to draw (needs matplotlib)")
    options = parser.parse_args(arguments)

    begin = time.perf_counter()
    from flambeau.demo import layer

    print(f"C kernels ready in {time.perf_counter() - begin:.2f} s; gradcheck: {layer.check()}")
    begin = time.perf_counter()
    model, losses, step, test = train(options.epochs, options.batch, options.seed)
    total = time.perf_counter() - begin
    print(f"test accuracy {accuracy(model, *test):.4f} on {len(test[1])} digits")
    print(f"{len(losses)} steps in {total:.1f} s, {step * 1e6:.0f} us a step")
    try:
        picture(model, losses, *test, options.picture)
        print(f"picture: {Path(options.picture).resolve()}")
    except ImportError:
        print("no picture: it needs matplotlib (pip install matplotlib)")


if __name__ == "__main__":
    main()
