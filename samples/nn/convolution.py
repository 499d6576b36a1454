"""Calls of convolutions."""

from samples import Dtypes, call, real

ROWS, IMAGES, SPACES = real(2, 2, 5), real(1, 2, 4, 4), real(1, 1, 3, 3, 3)
ROW, IMAGE, SPACE = real(3, 2, 3), real(2, 2, 3, 3), real(2, 1, 2, 2, 2)

TABLE = {
    "convolution": call(ROWS, ROW, real(3), (1,), (1,), (1,), False, (0,), 1, dtypes=Dtypes.NUMBERS),
    "convolution, transposed": call(
        ROWS, real(2, 3, 3), real(3), (2,), (1,), (1,), True, (1,), 1, dtypes=Dtypes.INEXACT | Dtypes.INT64
    ),
    "_C._nn.convolution_backward": call(
        real(2, 3, 5), ROWS, ROW, (3,), (1,), (1,), (1,), False, (0,), 1, [True, True, True], dtypes=Dtypes.NUMBERS
    ),
    "conv1d": call(ROWS, ROW, real(3), dtypes=Dtypes.NUMBERS),
    "conv1d, stride and dilation": call(ROWS, ROW, None, 2, 2, 2, dtypes=Dtypes.INEXACT | Dtypes.INT64),
    "conv1d, same": call(ROWS, ROW, padding="same", dtypes=Dtypes.NUMBERS),
    "conv1d, in groups": call(ROWS, real(4, 1, 3), groups=2, dtypes=Dtypes.NUMBERS),
    "conv2d": call(IMAGES, IMAGE, real(2), 1, 1, dtypes=Dtypes.NUMBERS),
    "conv2d, same": call(IMAGES, IMAGE, padding="same", dtypes=Dtypes.NUMBERS),
    "conv2d, one sample": call(real(2, 4, 4), IMAGE, stride=2, dtypes=Dtypes.NUMBERS),
    "conv3d": call(SPACES, SPACE, real(2), dtypes=Dtypes.NUMBERS),
    "conv3d, valid": call(SPACES, SPACE, padding="valid", dtypes=Dtypes.NUMBERS),
    "conv_transpose1d": call(ROWS, real(2, 3, 3), real(3), 2, dtypes=Dtypes.INEXACT | Dtypes.INT64),
    "conv_transpose2d": call(IMAGES, IMAGE, real(2), dtypes=Dtypes.INEXACT | Dtypes.INT64),
    "conv_transpose3d": call(SPACES, real(1, 2, 2, 2, 2), real(2), dtypes=Dtypes.INEXACT | Dtypes.INT64),
    "conv_tbc": call(real(5, 2, 2), real(3, 2, 3), real(3), 1, dtypes=Dtypes.NUMBERS),
}
