"""The code of a worker, which runs some items of a map with their seeds. Workers import it, so it imports little."""

import os
import pickle
import random
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from flambeau_distributed.parallel._transfer import received

IN_WORKER = "FLAMBEAU_PARALLEL_WORKER"  # set in the environment of workers


class Outcome(NamedTuple):
    """The outcome of an item: a pickle of the result, or of the exception with the text of its traceback."""

    item: int
    good: bool
    value: "bytes | None"
    text: str = ""


def prepare() -> None:
    """Set up a worker: one thread, and Ctrl-C ends it silently, because the main program reports it."""
    os.environ[IN_WORKER] = "1"
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    use_one_thread()


def use_one_thread() -> None:
    """Compute in one thread, because there is a worker for each processor."""
    from flambeau_tensor import set_num_threads

    set_num_threads(1)


def ready() -> int:
    """Return this process's id; pools are started with this call."""
    return os.getpid()


def seed_all(entropy: int, index: int) -> None:
    """Seed Python's, NumPy's and flambeau's generators for an item, as ``SeedSequence(entropy).spawn(n)[index]``."""
    import numpy as np

    from flambeau_tensor import manual_seed

    words = np.random.SeedSequence(entropy, spawn_key=(index,)).generate_state(4, np.uint64)
    random.seed(int(words[0]))
    np.random.seed(int(words[1]) & 0xFFFFFFFF)
    manual_seed(int(words[2]) >> 1)


@contextmanager
def generators_kept() -> Iterator[None]:
    """Give the three generators back as they were."""
    import numpy as np

    from flambeau_tensor import get_rng_state, set_rng_state

    kept = random.getstate(), np.random.get_state(), get_rng_state()
    try:
        yield
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])
        set_rng_state(kept[2])


_functions: dict[str, Callable[[Any], Any]] = {}  # the last one that was sent


def run(token: str, function: Any, start: int, items: Any, entropy: int) -> list[Outcome]:
    """The outcomes of some items of a map.

    Args:
        token: names the map, so that its function is unpickled once.
        function, items: as they were sent.
        start: the index of the first of the items.
        entropy: of the map's seeds.
    """
    if token not in _functions:
        _functions.clear()
        _functions[token] = received(function)
    return [outcome(_functions[token], start + i, item, entropy) for i, item in enumerate(received(items))]


def outcome(function: Callable[[Any], Any], index: int, item: Any, entropy: int) -> Outcome:
    """Return the outcome of one item."""
    seed_all(entropy, index)
    try:
        result = function(item)
        return Outcome(index, True, pickle.dumps(result, pickle.HIGHEST_PROTOCOL))
    except Exception as error:
        text = traceback.format_exc()
        try:
            value = pickle.dumps(error)
            pickle.loads(value)
        except Exception:
            value = None
        return Outcome(index, False, value, text)
