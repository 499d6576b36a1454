"""Calls of distances between pairs."""

from samples import Dtypes, call, real

X, Y = real(2, 5), real(2, 5)

TABLE = {
    "nn.functional.cosine_similarity": call(X, Y),
    "nn.functional.cosine_similarity, broadcast": call(real(2, 1, 3), real(4, 3), -1),
    "nn.functional.pairwise_distance": call(X, Y, dtypes=Dtypes.NUMBERS),
    "nn.functional.pairwise_distance, of order 3": call(X, Y, 3.0, keepdim=True, dtypes=Dtypes.NUMBERS),
}
