"""Calls of what undoes pooling, and of pooling in random windows that are given."""

from samples import call, each, real

PLACES = each([[[1, 2], [0, 3]]], [[[0, 3], [1, 2]]], [[[1, 3], [1, 2]]])
FLAT = each([[[[0, 3], [9, 14]]]], [[[[1, 6], [8, 15]]]], [[[[5, 2], [12, 11]]]])
DEEP = each([[[[[5]]]]], [[[[[2]]]]], [[[[[7]]]]])
WINDOWS = real(1, 2, 2, low=0.1, high=0.9)
F = "nn.functional."

TABLE = {
    F + "max_unpool1d": call(real(1, 2, 2), PLACES, 2),
    F + "max_unpool2d": call(real(1, 1, 2, 2), FLAT, 2),
    F + "max_unpool3d": call(real(1, 1, 1, 1, 1), DEEP, 2),
    F + "fractional_max_pool2d": call(real(1, 2, 6, 6), 2, (3, 3), _random_samples=WINDOWS),
    F + "fractional_max_pool2d_with_indices": call(real(1, 2, 6, 6), 2, (3, 3), _random_samples=WINDOWS),
    F + "fractional_max_pool3d": call(
        real(1, 2, 4, 4, 4), 2, (2, 2, 2), _random_samples=real(1, 2, 3, low=0.1, high=0.9)
    ),
    F + "fractional_max_pool3d_with_indices": call(
        real(1, 2, 4, 4, 4), 2, (2, 2, 2), _random_samples=real(1, 2, 3, low=0.1, high=0.9)
    ),
    "_C._nn.fractional_pool": call(real(1, 2, 6, 6), WINDOWS, via=lambda op, x, s: op(x, s, (2, 2), (3, 3))[0]),
}
