"""A progress bar that is invisible, and costs nothing, if tqdm is not installed."""

from collections.abc import Iterable
from typing import Any

__all__ = ["progress"]


def progress(iterable: "Iterable[Any] | None" = None, **options: Any) -> Any:
    """Wrap an iterable in tqdm's progress bar, or, if tqdm is not installed, in an invisible one.

    Both support iteration, `update`, `set_description`, `set_postfix`, `write`, `close` and `with`.
    To see the bar, install tqdm: `pip install tqdm`.

    Args:
        iterable: the iterable; or None, for a bar that `update` advances.
        options: tqdm's: `desc`, `total`, `unit`, `disable` and so on.

    Raises:
        TypeError: the argument is not iterable.

    >>> import flambeau as torch
    >>> sum(torch.viz.progress(range(4), disable=True))
    6
    """
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Unseen(iterable, **options)
    return tqdm(iterable, **options)


class _Unseen:
    """The interface of tqdm's bar without output."""

    def __init__(self, iterable=None, desc=None, total=None, initial=0, **options):
        self.iterable, self.desc, self.n = iterable, desc, initial
        self.total = len(iterable) if total is None and hasattr(iterable, "__len__") else total

    def __iter__(self):
        for item in self.iterable:
            yield item
            self.n += 1

    def __len__(self):
        return len(self.iterable) if self.total is None else self.total

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def update(self, n=1):
        self.n += n

    def set_description(self, desc=None, refresh=True):
        self.desc = desc

    def set_postfix(self, ordered_dict=None, refresh=True, **values):
        """Shows nothing."""

    set_postfix_str = set_description_str = refresh = set_postfix

    def reset(self, total=None):
        self.n, self.total = 0, self.total if total is None else total

    def close(self):
        """Has nothing to close."""

    @classmethod
    def write(cls, s, file=None, end="\n", nolock=False):
        print(s, file=file, end=end)
