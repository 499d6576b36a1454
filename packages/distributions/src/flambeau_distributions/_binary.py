"""The common base of distributions that take either probabilities or logits."""

from __future__ import annotations

from typing import Any, cast

import flambeau_tensor as torch
from flambeau_distributions.distribution import Distribution
from flambeau_distributions.parameters import broadcast_all, lazy_property, logits_to_probs, probs_to_logits
from flambeau_tensor import Tensor


def check_one(probs: Tensor | float | None, logits: Tensor | float | None) -> None:
    """Raise an error unless exactly one of the two is given."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


class Probabilities(Distribution):
    """With ``probs`` and ``logits``, one of which follows from the other by the formulas of ``_binary``."""

    _binary = True

    def _take(self, probs: Tensor | float | None, logits: Tensor | float | None, **beside: Any) -> None:
        """Store the given one, broadcast against the arguments ``beside``, which are converted to its dtype."""
        check_one(probs, logits)
        name, given = ("logits", logits) if probs is None else ("probs", probs)
        *others, param = broadcast_all(*beside.values(), cast(Tensor, given))
        setattr(self, name, param)
        for other, value in zip(beside, others, strict=True):
            setattr(self, other, value.type_as(param))

    @lazy_property
    def logits(self) -> Tensor:
        """The logarithms of odds, or of probabilities."""
        return probs_to_logits(self.probs, is_binary=self._binary)

    @lazy_property
    def probs(self) -> Tensor:
        """The probabilities."""
        return logits_to_probs(self.logits, is_binary=self._binary)

    @property
    def _param(self) -> Tensor:
        return self.__dict__["probs"] if "probs" in self.__dict__ else self.logits

    @property
    def param_shape(self) -> torch.Size:
        """The shape of the parameter."""
        return self._param.size()

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._param.new(*args, **kwargs)
