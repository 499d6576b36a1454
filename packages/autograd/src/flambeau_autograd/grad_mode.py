"""Contexts and decorators that switch recording on and off."""

from _thread import _local as local  # threading itself takes a while to import

from flambeau_autograd._engine.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)

__all__ = [
    "enable_grad",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_multithreading_enabled",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]

_thread = local()


def decorate(context, function):
    """``function`` with every call, or every step of the generator that it returns, inside a fresh ``context``."""
    import inspect
    from functools import wraps

    if isinstance(function, type):
        import warnings

        warnings.warn(f"Decorating classes is deprecated and will be disabled in future versions. You should only "
                      f"decorate functions or methods. To preserve the current behavior of class decoration, you can "
                      f"directly decorate the `__init__` method and nothing else. Decorated: {function.__name__}",
                      FutureWarning, stacklevel=3)
        function.__init__ = decorate(context, function.__init__)
        return function
    if inspect.isgeneratorfunction(function):
        return _decorate_generator(context, function)
    make = context.clone

    @wraps(function)
    def decorated(*args, **kwargs):
        with make():
            return function(*args, **kwargs)

    return decorated


def _decorate_generator(context, function):
    from functools import wraps

    @wraps(function)
    def decorated(*args, **kwargs):
        generator = function(*args, **kwargs)
        try:
            with context.clone():
                item = generator.send(None)
            while True:
                try:
                    request = yield item
                except GeneratorExit:
                    with context.clone():
                        generator.close()
                    raise
                except BaseException as error:
                    with context.clone():
                        item = generator.throw(error)
                else:
                    with context.clone():
                        item = generator.send(request)
        except StopIteration as stop:
            return stop.value

    return decorated


def is_multithreading_enabled() -> bool:
    """What `set_multithreading_enabled` was last told in this thread; True at first."""
    return getattr(_thread, "multithreading", True)


class set_multithreading_enabled:
    """Say whether backward may use threads of its own; at once, and until the end of the block as a context.

    It never does here: backward runs in the thread that calls it, and only kernels are split over threads. So this
    makes no difference beyond what `is_multithreading_enabled` says.
    """

    def __init__(self, mode: bool):
        self.mode, self.previous = bool(mode), is_multithreading_enabled()
        _thread.multithreading = self.mode

    def __call__(self, function):
        self.__exit__(None, None, None)
        return decorate(self, function)

    def __enter__(self):
        pass

    def __exit__(self, kind, value, traceback):
        _thread.multithreading = self.previous

    def clone(self):
        return set_multithreading_enabled(self.mode)
