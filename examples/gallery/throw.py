"""A differentiable simulation whose steps are C: how must a ball be thrown, with drag and wind, to land in a basket?

One call of C flies the ball for two seconds, a second one goes back through the flight and gives the derivative of
whatever was asked of it (the adjoint). A custom operator joins the two, so the rest is ordinary optimization.
"""

import sys

import flambeau as torch
from flambeau.library import custom_op
from flambeau.utils.cpp_extension import load_inline

SOURCE = r"""
#include <math.h>

enum { STEPS = 200 };
static const double DT = 0.01, G = 9.81, DRAG = 0.08, WIND = -4.0;

/* Positions and speeds (x, y, vx, vy) at each step of a flight that starts with speed v at the origin. */
fl_tensor fly(fl_tensor v) {
    int64_t sizes[2] = {STEPS + 1, 4};
    if (FL_CHECK(v, FL_FLOAT64, 1)) return NULL;
    if (fl_numel(v) != 2) return fl_error(FL_VALUE_ERROR, "fly(): argument 'v' must have 2 elements");
    fl_tensor out = fl_empty(sizes, 2, FL_FLOAT64);
    if (!out) return NULL;
    const double *from = fl_const_data(v);
    double *s = fl_data(out);
    s[0] = s[1] = 0, s[2] = from[0], s[3] = from[1];
    for (int i = 0; i < STEPS; i++, s += 4) {
        double rx = s[2] - WIND, ry = s[3], k = DRAG * hypot(rx, ry);
        s[4] = s[0] + DT * s[2];
        s[5] = s[1] + DT * s[3];
        s[6] = s[2] - DT * k * rx;
        s[7] = s[3] - DT * (k * ry + G);
    }
    return out;
}

/* The gradient of v from that of the states: each step's transposed derivative, from the last to the first. */
fl_tensor fly_back(fl_tensor grad, fl_tensor states) {
    int64_t two = 2;
    if (FL_CHECK(grad, FL_FLOAT64, 2) || FL_CHECK(states, FL_FLOAT64, 2)) return NULL;
    fl_tensor out = fl_empty(&two, 1, FL_FLOAT64);
    if (!out) return NULL;
    const double *g = (const double *)fl_const_data(grad) + 4 * STEPS;
    const double *s = (const double *)fl_const_data(states) + 4 * STEPS;
    double a[4] = {g[0], g[1], g[2], g[3]}, *to = fl_data(out);
    for (int i = 0; i < STEPS; i++) {
        g -= 4, s -= 4;
        double rx = s[2] - WIND, ry = s[3], n = hypot(rx, ry), k = DRAG * n;
        double along = n > 0 ? DRAG * (a[2] * rx + a[3] * ry) / n : 0;
        double vx = a[2] - DT * (k * a[2] + along * rx) + DT * a[0];
        double vy = a[3] - DT * (k * a[3] + along * ry) + DT * a[1];
        a[0] += g[0], a[1] += g[1], a[2] = vx + g[2], a[3] = vy + g[3];
    }
    to[0] = a[2], to[1] = a[3];
    return out;
}
"""

kernels = load_inline("throw", c_sources=SOURCE, functions=["fly", "fly_back"])
fly = custom_op("gallery::fly", kernels.fly, mutates_args=(), schema="(Tensor v) -> Tensor")
fly.register_autograd(
    lambda ctx, grad: kernels.fly_back(grad.contiguous(), ctx.saved_tensors[0]),
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(output),
)

v = torch.tensor([6.0, 8.0], dtype=torch.float64, requires_grad=True)
print("gradient checked:", torch.autograd.gradcheck(fly, (v,)))

BASKET = torch.tensor([7.0, 3.0], dtype=torch.float64)
optimizer = torch.optim.Adam([v], lr=0.3)
flights = []
for step in range(151):
    states = fly(v)
    flights.append(states.detach()[:, :2])
    distance = (states[130, :2] - BASKET).norm()  # where it is after 1.3 seconds
    if step % 50 == 0:
        print(f"throw {step}: {distance.item():.3f} m beside the basket")
    optimizer.zero_grad()
    distance.square().backward()
    optimizer.step()
print(f"throw at {v[0].item():.2f} m/s forward, {v[1].item():.2f} m/s up")

if len(sys.argv) > 1:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 3.4), layout="constrained")
    for number in (0, 3, 6, 10, 15, 25, 150):
        path = flights[number][:131].numpy()
        axes.plot(path[:, 0], path[:, 1], color="#c2510c", alpha=0.2 + 0.8 * (number == 150))
        axes.annotate(str(number), path[-1], fontsize=8, color="#808080")
    axes.plot(*BASKET.tolist(), "s", color="#808080", fillstyle="none", markersize=12)
    axes.set(title="throws on the way to the right one, against the wind", xlabel="m", ylabel="m")
    figure.savefig(sys.argv[1], dpi=110)
