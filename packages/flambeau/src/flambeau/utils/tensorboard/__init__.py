"""``torch.utils.tensorboard``: event files for TensorBoard, written by the package tensorboardX or, if it is not
installed, by tensorboard."""

from functools import wraps
from importlib import import_module
from typing import Any

from flambeau_tensor import Tensor
from flambeau_tensor.lazy_attributes import attach as _attach

try:
    import tensorboardX as _events
except ModuleNotFoundError as e:
    try:
        _events = import_module("flambeau.utils.tensorboard._over_tensorboard")
    except ModuleNotFoundError as other:
        if (other.name or "").partition(".")[0] != "tensorboard":
            raise
        raise ModuleNotFoundError(
            "torch.utils.tensorboard needs the package tensorboardX: pip install tensorboardX", name=e.name
        ) from None

__all__ = ["FileWriter", "SummaryWriter"]

FileWriter = _events.FileWriter
_MESSAGES = "tensorboardX.proto" if _events.__name__ == "tensorboardX" else "tensorboard.compat.proto"


def _plain(value):
    """Convert tensors to arrays, also inside containers."""
    if isinstance(value, Tensor):
        value = value.detach().resolve_conj().resolve_neg()
        return (value.float() if value.is_floating_point() and value.itemsize < 4 else value).numpy()
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(_plain, value))
    return value


def _taking_tensors(method):
    @wraps(method)
    def run(self, *args, **kwargs):
        return method(self, *_plain(args), **_plain(kwargs))

    return run


class SummaryWriter(_events.SummaryWriter):
    """Writes scalars, images, histograms and other data to a folder for ``tensorboard --logdir``.

    Args:
        log_dir: the folder; by default a new one below ``runs``.
        comment: ends the name of that one.
        purge_step: the step from which to hide data of an earlier run in the same folder.
        max_queue: the maximum number of events that are buffered.
        flush_secs: the interval between writes, in seconds.
        filename_suffix: ends the name of the event file.

    The methods are those of tensorboardX, and also accept tensors.
    """

    def __init__(
        self,
        log_dir: str | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
    ) -> None:
        super().__init__(log_dir, comment, purge_step, max_queue, flush_secs, filename_suffix)

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """Write a number, or a tensor of one. `new_style` and `double_precision` are accepted and ignored."""
        super().add_scalar(tag, _plain(scalar_value), global_step, walltime)

    def add_hparams(
        self,
        hparam_dict: dict[str, Any],
        metric_dict: dict[str, Any],
        hparam_domain_discrete: dict[str, list[Any]] | None = None,
        run_name: str | None = None,
        global_step: int | None = None,
    ) -> None:
        """Write options of a run with its results. `hparam_domain_discrete` is accepted and ignored."""
        super().add_hparams(_plain(hparam_dict), _plain(metric_dict), run_name, global_step)

    def add_graph(
        self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:
        """Write the graph of a module, which runs once.

        Args:
            model: the module.
            input_to_model: its argument, or a tuple or list of them.
            verbose: whether to print the graph.
            use_strict_trace: accepted and ignored.

        Raises:
            TraceError: a branch of the module depends on values.
        """
        from flambeau.utils.tensorboard._graph import event_of

        graph, event = event_of(model, input_to_model, _MESSAGES)
        if verbose:
            print(graph)
        self._get_file_writer().add_event(event)

    def get_logdir(self) -> str:
        """The folder."""
        return self.logdir


for _name in dir(_events.SummaryWriter):
    if _name.startswith("add_") and _name not in vars(SummaryWriter):
        setattr(SummaryWriter, _name, _taking_tensors(getattr(_events.SummaryWriter, _name)))


__getattr__, __dir__ = _attach(__name__, "torch.utils.tensorboard", modules=("summary",), unlisted=True)
