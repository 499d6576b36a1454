"""``torch.jit.annotations``: names for annotations of scripted functions."""

from typing import Any, Dict, List, Tuple  # noqa: F401, UP035  (programs import them from here)

from flambeau_nn import Module  # noqa: F401


class _BroadcastingList:
    """``BroadcastingList2[int]``: a list of two ints, or one int for both. An annotation: nothing is checked."""

    def __getitem__(self, kind: object) -> None:
        return None


BroadcastingList1 = _BroadcastingList()
BroadcastingList2 = _BroadcastingList()
BroadcastingList3 = _BroadcastingList()
