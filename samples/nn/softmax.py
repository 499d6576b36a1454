"""Calls of softmax in its forms."""

from samples import call, real

X = real(3, 4)

TABLE = {
    "nn.functional.softmax": call(X, 1),
    "nn.functional.log_softmax": call(X, 0),
    "nn.functional.softmin": call(X, 1),
}
EXCUSED = {"random numbers": "nn.functional.gumbel_softmax"}
