"""A progress bar that costs nothing where it cannot be shown."""

from collections.abc import Iterable
from typing import Any

__all__ = ["progress"]


def progress(iterable: "Iterable[Any] | None" = None, **options: Any) -> Any:
    """tqdm's progress bar around an iterable; where tqdm is not installed, one that shows nothing.

    Both are iterated over, have `update`, `set_description`, `set_postfix`, `write` and `close`, and work in `with`.
    It comes with `pip install tqdm`.

    Args:
        iterable: what is iterated over; or None, for a bar that `update` moves.
        options: tqdm's: `desc`, `total`, `unit`, `disable` and so on.

    Raises:
        TypeError: what is given cannot be iterated over.

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
    """What programs use of tqdm's bar, without the bar."""

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
