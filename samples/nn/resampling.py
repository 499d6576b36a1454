"""Calls of what gives images other sizes."""

from samples import Dtypes, call, real

IMAGES, ROWS, SPACES = real(1, 2, 4, 4), real(1, 2, 5), real(1, 1, 2, 3, 2)
THETA, GRID = real(1, 2, 3), real(1, 3, 2, 2, low=-0.9, high=0.9)
F, N = "nn.functional.", "_C._nn."

TABLE = {
    N + "resample": call(IMAGES, (6, 3), "bilinear", False, (1.5, 0.75), False, dtypes=Dtypes.FLOATS | Dtypes.UINT8),
    N + "resample_backward": call(
        real(1, 2, 6, 3), (1, 2, 4, 4), "bilinear", False, (1.5, 0.75), False, dtypes=Dtypes.FLOATS | Dtypes.UINT8
    ),
    N + "im2col": call(IMAGES, (2, 2), (1, 1), (1, 0), (1, 2), dtypes=Dtypes.INEXACT | Dtypes.BOOL),
    N + "col2im": call(real(1, 8, 9), (4, 4), (2, 2), (1, 1), (0, 0), (1, 1), dtypes=Dtypes.INEXACT | Dtypes.BOOL),
    F + "unfold": call(IMAGES, 2, padding=1, stride=2, dtypes=Dtypes.INEXACT | Dtypes.BOOL),
    F + "fold": call(real(1, 8, 9), (4, 4), 2, dtypes=Dtypes.INEXACT | Dtypes.BOOL),
    F + "interpolate": call(IMAGES, (6, 3), dtypes=Dtypes.FLOATS | Dtypes.UINT8),
    F + "interpolate, linear": call(ROWS, 8, mode="linear", align_corners=False),
    F + "interpolate, bilinear": call(
        IMAGES, (6, 3), mode="bilinear", align_corners=True, dtypes=Dtypes.FLOATS | Dtypes.UINT8
    ),
    F + "interpolate, bicubic": call(
        IMAGES, (6, 3), mode="bicubic", align_corners=False, dtypes=Dtypes.FLOATS | Dtypes.UINT8
    ),
    F + "interpolate, trilinear": call(SPACES, (3, 2, 4), mode="trilinear", align_corners=False),
    F + "interpolate, area": call(IMAGES, (2, 3), mode="area"),
    F + "interpolate, antialias": call(
        IMAGES, (3, 2), mode="bilinear", antialias=True, dtypes=Dtypes.FLOATS | Dtypes.UINT8
    ),
    F + "upsample": call(IMAGES, scale_factor=2, dtypes=Dtypes.FLOATS | Dtypes.UINT8),
    F + "upsample_nearest": call(IMAGES, scale_factor=2, dtypes=Dtypes.FLOATS | Dtypes.UINT8),
    F + "upsample_bilinear": call(IMAGES, scale_factor=2, dtypes=Dtypes.FLOATS | Dtypes.UINT8),
    "pixel_shuffle": call(real(1, 8, 2, 3), 2, dtypes=Dtypes.ALL),
    "pixel_unshuffle": call(real(1, 2, 4, 6), 2, dtypes=Dtypes.ALL),
    "channel_shuffle": call(real(1, 4, 2, 3), 2, dtypes=Dtypes.ALL),
    "native_channel_shuffle": call(real(1, 4, 2, 3), 2, dtypes=Dtypes.ALL),
    "affine_grid_generator": call(THETA, (1, 1, 3, 2), False, dtypes=Dtypes.INEXACT),
    F + "affine_grid": call(THETA, (1, 1, 3, 2), align_corners=True),
    "_C._nn.sample": call(IMAGES, GRID, 2, 2, True),
    "_C._nn.sample_backward": call(real(1, 2, 3, 2), IMAGES, GRID, 0, 1, False, (True, True)),
    "grid_sampler": call(IMAGES, GRID, 0, 0, False),
    "grid_sampler_2d": call(IMAGES, GRID, 2, 1, False),
    "grid_sampler_3d": call(SPACES, real(1, 2, 1, 2, 3, low=-0.9, high=0.9), 0, 0, True),
    F + "grid_sample": call(IMAGES, GRID, align_corners=False),
    F + "grid_sample, nearest": call(IMAGES, GRID, "nearest", "reflection", align_corners=True),
}
