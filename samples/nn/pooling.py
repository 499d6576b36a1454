"""Calls of pooling."""

from samples import Dtypes, call, real, whole

ROWS, IMAGES, SPACES = real(2, 3, 6), real(1, 2, 6, 6), real(1, 2, 4, 4, 4)
F = "nn.functional."

TABLE = {
    F + "avg_pool1d": call(ROWS, 2, 2, 1, dtypes=Dtypes.FLOATS | Dtypes.INT64),
    F + "avg_pool1d, without samples": call(real(3, 6), 2, dtypes=Dtypes.FLOATS | Dtypes.INT64),
    F + "avg_pool2d": call(IMAGES, 3, 2, 1, True, False, dtypes=Dtypes.FLOATS | Dtypes.INT64),
    F + "avg_pool3d": call(SPACES, 2, divisor_override=3, dtypes=Dtypes.FLOATS | Dtypes.INT64),
    F + "adaptive_avg_pool1d": call(ROWS, 4),
    F + "adaptive_avg_pool2d": call(IMAGES, (2, None)),
    F + "adaptive_avg_pool3d": call(SPACES, (3, 2, 1)),
    "_C._nn.avg_pool_backward": call(real(1, 2, 3, 3), (1, 2, 6, 6), 2, 2),
    "_C._nn.adaptive_avg_pool_backward": call(real(1, 2, 4, 4), (1, 2, 6, 6), 2),
    F + "max_pool1d": call(ROWS, 2, dtypes=Dtypes.REAL_NUMBERS),
    F + "max_pool1d, with indices": call(ROWS, 2, return_indices=True, dtypes=Dtypes.REAL_NUMBERS),
    F + "max_pool1d_with_indices": call(ROWS, 2, dtypes=Dtypes.REAL_NUMBERS),
    F + "max_pool2d": call(IMAGES, 3, 2, 1, dtypes=Dtypes.REAL_NUMBERS),
    F + "max_pool2d, without samples": call(real(2, 6, 6), 2, dtypes=Dtypes.REAL_NUMBERS),
    F + "max_pool2d_with_indices": call(IMAGES, 3, 2, 1, dtypes=Dtypes.REAL_NUMBERS),
    F + "max_pool3d": call(SPACES, 2, dtypes=Dtypes.REAL_NUMBERS),
    F + "max_pool3d_with_indices": call(SPACES, 2, dtypes=Dtypes.REAL_NUMBERS),
    F + "adaptive_max_pool1d": call(ROWS, 2),
    F + "adaptive_max_pool1d_with_indices": call(ROWS, 2),
    F + "adaptive_max_pool2d": call(IMAGES, (2, 3)),
    F + "adaptive_max_pool2d_with_indices": call(IMAGES, (2, 3)),
    F + "adaptive_max_pool3d": call(SPACES, (2, 3, 2)),
    F + "adaptive_max_pool3d_with_indices": call(SPACES, (2, 3, 2)),
    "_C._nn.max_pool_backward": call(real(1, 2, 2, 2), whole(1, 2, 2, 2, high=36), (1, 2, 6, 6), 2),
    F + "lp_pool1d": call(ROWS, 2, 2, dtypes=Dtypes.FLOATS | Dtypes.INT64 | Dtypes.BOOL),
    F + "lp_pool2d": call(IMAGES, 2, 2, dtypes=Dtypes.FLOATS | Dtypes.INT64 | Dtypes.BOOL),
    F + "lp_pool3d": call(SPACES, 2, 2, dtypes=Dtypes.FLOATS | Dtypes.INT64 | Dtypes.BOOL),
}
