"""``torch._C._autograd``: the hooks on saved tensors."""

from collections.abc import Callable
from typing import Any

from flambeau_autograd.extend import SavedTensor as SavedTensor
from flambeau_autograd.extend import hooks_of_thread, pop_hooks, push_hooks


def _saved_tensors_hooks_is_enabled() -> bool:
    """Whether hooks on saved tensors may be set in this thread."""
    return _saved_tensors_hooks_get_disabled_error_message() is None


def _saved_tensors_hooks_get_disabled_error_message() -> str | None:
    """The error that setting hooks raises in this thread, or None."""
    innermost = hooks_of_thread()[-1:]
    return innermost[0] if innermost and isinstance(innermost[0], str) else None


def _saved_tensors_hooks_disable(message: str, fail_if_non_empty: bool = True) -> None:
    """Forbid hooks in this thread.

    Raises:
        RuntimeError: with ``message``, if there are hooks and ``fail_if_non_empty`` is True.
    """
    if fail_if_non_empty and _top_saved_tensors_default_hooks() is not None:
        raise RuntimeError(message)
    push_hooks(message)


def _saved_tensors_hooks_enable() -> None:
    """Allow hooks again."""
    if not _saved_tensors_hooks_is_enabled():
        pop_hooks()


def _push_saved_tensors_default_hooks(pack_hook: Callable[..., Any], unpack_hook: Callable[..., Any]) -> None:
    """Add hooks that receive each tensor that this thread saves.

    Raises:
        RuntimeError: hooks are forbidden.
    """
    message = _saved_tensors_hooks_get_disabled_error_message()
    if message is not None:
        raise RuntimeError(message)
    push_hooks((pack_hook, unpack_hook))


def _pop_saved_tensors_default_hooks() -> None:
    """Remove the innermost hooks.

    Raises:
        RuntimeError: there are none.
    """
    pop_hooks()


def _top_saved_tensors_default_hooks(ignore_is_tracing: bool = False) -> tuple[Any, Any] | None:
    """The innermost hooks (pack, unpack) of this thread, or None."""
    innermost = hooks_of_thread()[-1:]
    return innermost[0] if innermost and not isinstance(innermost[0], str) else None
