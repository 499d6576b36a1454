"""Longer messages of errors and warnings, and the forward call to which an error in backward belongs."""

from typing import Any

# The kind of a view that must not be written to while recording -> the reason.
_REASONS = {
    "in no_grad mode": (
        "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving "
        "both the view and the inplace either both inside the no_grad block (if you don't want the inplace to be "
        "tracked) or both outside (if you want the inplace to be tracked)."
    ),
    "in inference mode": (
        "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving "
        "both the view and the inplace either both inside the inference_mode block (if you don't want the inplace to "
        "be tracked) or both outside (if you want the inplace to be tracked)."
    ),
    "several": (
        "This view is the output of a function that returns multiple views. Such functions do not allow the output "
        "views to be modified inplace. You should replace the inplace operation by an out-of-place one."
    ),
    "in a Function": (
        "This view was created inside a custom Function (or because an input was returned as-is) and the autograd "
        "logic to handle view+inplace would override the custom backward associated with the custom Function, leading "
        "to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom "
        "Function."
    ),
}


def view_error(what: str, made: str, output_nr: int, name: str | None) -> str:
    """Return the error of a write to a view while recording; ``what`` describes the write, ``name`` the producer."""
    view = None if name is None else f"Output {output_nr} of {name.rstrip('0123456789').removesuffix('Backward')}"
    if view is not None and made not in ("in inference mode", "in no_grad mode"):
        head = f"{view} is a view and {what} modified inplace."
    else:
        subject = "A view was" if view is None else f"{view} is a view of a view which was"
        mode = "inference mode" if made == "in inference mode" else "no_grad mode"
        here = "in normal mode" if made == "in inference mode" else "with grad mode enabled"
        head = f"{subject} created in {mode} and {what} modified inplace {here}."
    return f"{head} {_REASONS[made]}"


def warn_non_leaf_grad() -> None:
    """Warn that ``.grad`` of a non-leaf tensor is read, which is never set."""
    import warnings

    warnings.warn(
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute "
        "won't be populated during autograd.backward(). If you indeed want the .grad field to be populated "
        "for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor "
        "by mistake, make sure you access the leaf Tensor instead.",
        UserWarning,
        stacklevel=2,
    )


# --- errors in backward ---------------------------------------------------------------------------------------------

_FORWARD_CALL = "The forward call of "


def forward_call(node) -> str | None:
    """Return a sentence that names the line of the user's program that recorded ``node``, with the line itself."""
    import linecache
    from itertools import islice

    if node._call_site is None:
        return None
    code, instruction = node._call_site
    line = next(islice(code.co_positions(), max(instruction, 0) // 2, None))[0]  # two bytes each
    text = f'{_FORWARD_CALL}{node.name()} is in "{code.co_filename}", line {line}, in {code.co_name}'
    source = linecache.getline(code.co_filename, line or 0).strip()
    return f"{text}:\n    {source}" if source else text


def name_forward_call(error: BaseException, node) -> None:
    """Add to an error that ``node`` raised in backward which forward call it belongs to.

    The text of a RuntimeError, the engine's own type, is extended; other errors get a note, which tracebacks show.
    """
    told = "".join([str(error), *getattr(error, "__notes__", ())])
    if not isinstance(error, Exception) or _FORWARD_CALL in told:
        return
    text = forward_call(node)
    if text is None:
        return
    if type(error) is RuntimeError and len(error.args) == 1 and isinstance(error.args[0], str):
        error.args = (f"{error.args[0]}\n{text}",)
    else:
        error.add_note(text)


def argument_name(node, index: int) -> str:
    """Return the name of the forward argument for the ``index``-th gradient of ``node``, as an addition to messages."""
    name = node._argument(index)
    return f" (the gradient of argument '{name}')" if name else ""


def compared_shapes(output: Any, grad: Any, is_grads_batched: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the shapes of an output and of its gradient, the latter without the dimension of batched gradients."""
    return output.shape, grad.shape[1:] if is_grads_batched else grad.shape
