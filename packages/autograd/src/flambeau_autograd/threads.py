"""Running a backward pass in another thread on behalf of the caller."""

import contextvars
from threading import Thread

from flambeau_autograd._engine.graph import engine, grad_mode, node, saved
from flambeau_autograd._engine.levels import level as levels
from flambeau_overrides import modes as overriding


def run_elsewhere(run):
    """Run backward in a new thread and wait for it; its exceptions are raised here."""
    flags, disabled, modes = grad_mode.switches(), overriding.switches(), overriding.mode_stack()
    tapes, stack, hooks = node.tapes(), levels.levels(), saved.hooks_of_thread()
    errors = []

    def work():
        try:
            grad_mode.switches(flags)
            node.set_tapes(tapes)
            levels.take_over(stack)
            saved.take_over(hooks)
            for mode in modes:
                overriding.push_mode(mode)
            overriding.switches(disabled)
            engine.drive_here(run)
        except BaseException as error:
            errors.append(error)
        finally:  # the next thread may reuse this one's identifier
            levels.take_over(())
            saved.take_over(())

    thread = Thread(target=contextvars.copy_context().run, args=(work,))
    thread.start()
    while thread.is_alive():
        try:
            thread.join()
        except BaseException as error:  # an interrupt must end the work
            engine.interrupt(thread.ident, type(error))
    if errors:
        raise errors[0]
