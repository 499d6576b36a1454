"""Locks and forks: a child has none of its parent's other threads, and what they held stays taken there."""

import os


def held_at_forks(lock):
    """The lock, which a fork waits for, so that the child finds finished what another thread does under it."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock
