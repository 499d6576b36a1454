"""Curve fitting with L-BFGS: two lines in a noisy spectrum, with an error bar for each number.

The model is a sum of two bells over a slope. L-BFGS finds its eight numbers in some dozen evaluations; the second
derivatives at the end, by `torch.func.hessian`, say how sure they are.
"""

import sys

import flambeau as torch

torch.manual_seed(4)
torch.set_default_dtype(torch.float64)
NAMES = ["height 1", "centre 1", "width 1", "height 2", "centre 2", "width 2", "offset", "slope"]
TRUE = torch.tensor([3.0, 4.0, 0.5, 2.0, 5.4, 0.8, 1.0, 0.1])
NOISE = 0.15

x = torch.linspace(0, 10, 200)


def model(p, x):
    first = p[0] * torch.exp(-0.5 * ((x - p[1]) / p[2]) ** 2)
    second = p[3] * torch.exp(-0.5 * ((x - p[4]) / p[5]) ** 2)
    return first + second + p[6] + p[7] * x


y = model(TRUE, x) + NOISE * torch.randn(200)


def misfit(p):
    """Half the sum of squares in units of the noise: minus the logarithm of the likelihood."""
    return 0.5 * ((model(p, x) - y) / NOISE).square().sum()


guess = torch.tensor([1.0, 3.5, 1.0, 1.0, 6.0, 1.0, 0.0, 0.0])
p = guess.clone().requires_grad_()
optimizer = torch.optim.LBFGS([p], max_iter=200, line_search_fn="strong_wolfe", tolerance_change=1e-12)
evaluations = 0


def closure():
    global evaluations
    evaluations += 1
    optimizer.zero_grad()
    loss = misfit(p)
    loss.backward()
    return loss


optimizer.step(closure)
fitted = p.detach()
covariance = torch.linalg.inv(torch.func.hessian(misfit)(fitted))
print("chi square per degree of freedom:", f"{2 * misfit(fitted).item() / (200 - 8):.2f}")
for name, value, error, true in zip(NAMES, fitted, covariance.diagonal().sqrt(), TRUE, strict=True):
    print(f"{name:9s} {value.item():6.3f} +- {error.item():.3f}   (true {true.item():g})")

if len(sys.argv) > 1:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 3.4), layout="constrained")
    axes.plot(x.numpy(), y.numpy(), ".", color="#999999", markersize=4, label="measured")
    axes.plot(x.numpy(), model(guess, x).numpy(), ":", color="#808080", label="first guess")
    axes.plot(x.numpy(), model(fitted, x).numpy(), color="#c2510c", label=f"fitted, {evaluations} evaluations")
    for k in (0, 3):
        alone = fitted.clone()
        alone[3 - k] = 0
        axes.plot(x.numpy(), model(alone, x).numpy(), color="#c2510c", alpha=0.3)
    axes.legend()
    axes.set(title="two lines in a spectrum")
    figure.savefig(sys.argv[1], dpi=110)
