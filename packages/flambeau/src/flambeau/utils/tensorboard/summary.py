"""``torch.utils.tensorboard.summary``: summaries for the ``add_summary`` of a file writer."""

from typing import Any

from flambeau.utils.tensorboard import _events, _plain  # type: ignore[attr-defined]
from flambeau_tensor.lazy_attributes import attach as _attach


def hparams(
    hparam_dict: dict[str, Any],
    metric_dict: dict[str, Any] | None = None,
    hparam_domain_discrete: dict[str, list[Any]] | None = None,
) -> tuple[Any, Any, Any]:
    """Return three summaries: the names of a run's options and metrics, the options' values, and the run's end.

    Args:
        hparam_dict: the options: numbers, strings and bools.
        metric_dict: the results; only their names are used.
        hparam_domain_discrete: accepted and ignored.
    """
    source = getattr(_events, "summary", _events)  # tensorboardX has a module of them
    summaries: tuple[Any, Any, Any] = source.hparams(_plain(hparam_dict), metric_dict or {})
    return summaries


def _of_tensorboardx(name: str) -> Any:
    return getattr(getattr(_events, "summary", None), name, None)


__getattr__, __dir__ = _attach(__name__, "torch.utils.tensorboard.summary", find=_of_tensorboardx, unlisted=True)
