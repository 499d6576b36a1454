"""Calls of what gives the gradients of tanh, sigmoid and relu."""

from samples import call, real

TABLE = {
    "_ops.tanh_backward": call(real(2, 3), real(2, 3, low=-0.9, high=0.9)),
    "_ops.sigmoid_backward": call(real(2, 3), real(2, 3, low=0.1, high=0.9)),
    "_ops.relu_backward": call(real(2, 3), real(2, 3, low=0.5, high=2)),
}
