"""A lock for work that is done once: forks wait for it, and Ctrl-C waits until it is done.

A child has none of its parent's other threads, and what they held stays taken there. And what an interrupt leaves half
done cannot always be begun again: compiled modules run once.
"""

import _signal  # what `signal` and `threading` add is not needed, and importing flambeau is to stay cheap
import os
from _thread import RLock


class OnceLock:
    """A reentrant lock; the thread that holds it gets a KeyboardInterrupt when it lets go.

    >>> with OnceLock():
    ...     print("undisturbed")
    undisturbed
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self._handler = None  # of SIGINT, while another one waits
        self._depth = 0
        self._interrupted = False
        if hasattr(os, "register_at_fork"):
            lock = self._lock
            os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)

    def __enter__(self):
        if self._handler is None:
            handler = _signal.getsignal(_signal.SIGINT)
            if callable(handler):  # Python's or the program's, and no number of the system's
                try:
                    _signal.signal(_signal.SIGINT, self._note)
                    self._handler = handler
                except ValueError:  # another thread or interpreter than the main one: it gets no signals
                    pass
        self._lock.acquire()
        self._depth += 1

    def __exit__(self, *error):
        self._depth -= 1
        outermost = self._depth == 0
        self._lock.release()
        if outermost and self._handler is not None:
            try:
                _signal.signal(_signal.SIGINT, self._handler)
            except ValueError:  # the main thread, which waits for the lock, will
                return
            self._handler = None
            if self._interrupted:
                self._interrupted = False
                _signal.raise_signal(_signal.SIGINT)

    def _note(self, number, frame):
        self._interrupted = True
