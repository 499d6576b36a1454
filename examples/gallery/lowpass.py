"""A filter designed by gradient: 41 taps that let low tones pass and hold back high ones, better than a window does.

The loss looks at the filter's response, by a Fourier transform of its taps; gradients of a high norm of the ripples
push down the worst one.
"""

import sys

import flambeau as torch

torch.set_default_dtype(torch.float64)
TAPS, PASS, STOP = 41, 0.20, 0.30  # band edges as parts of the sampling rate's half

n = torch.arange(TAPS) - TAPS // 2
middle = (PASS + STOP) / 2
windowed = torch.sinc(middle * n) * middle * torch.hamming_window(TAPS, periodic=False)
frequency = torch.linspace(0, 1, 513)
in_pass, in_stop = frequency <= PASS, frequency >= STOP


def response(taps):
    """The size of what comes out for a tone of each frequency."""
    return torch.fft.rfft(taps, 1024).abs()


def worst(taps):
    """The largest error in the pass band, and in the stop band, in decibels."""
    r = response(taps)
    ripple = (r[in_pass] - 1).abs().max()
    return ripple.item(), (20 * torch.log10(r[in_stop].max())).item()


half = windowed[TAPS // 2 :].clone().requires_grad_()  # the other half is its mirror image


def mirrored(half):
    return torch.cat([half.flip(0)[:-1], half])


optimizer = torch.optim.LBFGS([half], max_iter=60, history_size=20, line_search_fn="strong_wolfe")
for power in (2, 4, 8, 16, 32):  # towards the maximum, in steps

    def closure(power=power):
        optimizer.zero_grad()
        r = response(mirrored(half))
        errors = torch.cat([(r[in_pass] - 1) * 0.2, r[in_stop]])
        loss = torch.linalg.vector_norm(errors, power)
        loss.backward()
        return loss

    optimizer.step(closure)

designed = mirrored(half.detach())
for name, taps in (("Hamming window", windowed), ("by gradient", designed)):
    ripple, leak = worst(taps)
    print(f"{name}: ripple {ripple:.3f}, leak {leak:.1f} dB")

if len(sys.argv) > 1:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 3.2), layout="constrained")
    for name, taps, colour in (("Hamming window", windowed, "#888888"), ("by gradient", designed, "#c2510c")):
        axes.plot(frequency.numpy(), (20 * torch.log10(response(taps) + 1e-6)).numpy(), color=colour, label=name)
    axes.axvspan(PASS, STOP, color="#c2510c", alpha=0.2)
    axes.set(title="response of 41 taps", xlabel="frequency / half the sampling rate", ylabel="dB", ylim=(-80, 5))
    axes.legend()
    figure.savefig(sys.argv[1], dpi=110)
