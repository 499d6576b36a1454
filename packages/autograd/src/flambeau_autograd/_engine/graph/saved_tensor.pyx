# cython: language_level=3
"""A saved tensor as an object, for hooks on it alone: what ``grad_fn._raw_saved_self`` gives."""
from flambeau_autograd._engine.graph.node cimport IN_PLACE_OF_A_TENSOR, NOT_A_TENSOR, Node
from flambeau_autograd._engine.graph.saved cimport pack_later


cdef class SavedTensor:
    """One of the tensors that a node keeps for backward. Nodes make these; ``register_hooks`` is what they are for."""

    cdef Node node
    cdef int place
    cdef bint is_output

    def __init__(self):
        raise TypeError("cannot create 'SavedTensor' instances")

    def register_hooks(self, pack_hook, unpack_hook):
        """Replace what is kept by what ``pack_hook`` makes of it; backward reads it through ``unpack_hook``.

        Raises:
            RuntimeError: it has hooks already, was freed, or is None; or ``pack_hook`` wrote to it.

        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> y = x.exp()
        >>> y.grad_fn._raw_saved_result.register_hooks(lambda t: t.numpy().copy(), torch.from_numpy)
        """
        for hook in (pack_hook, unpack_hook):
            if not callable(hook):
                raise TypeError(f"register_hooks(): a hook must be callable, got {type(hook).__name__}")
        if self.node.saved[self.place].version in (NOT_A_TENSOR, IN_PLACE_OF_A_TENSOR) or self._is_none():
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        pack_later(&self.node.saved[self.place], (pack_hook, unpack_hook), self.is_output)

    cdef bint _is_none(self):
        """Whether the formulas of the wanted gradients had no need of it."""
        return self.node.saved[self.place].value == NULL and not self.node.released


cdef object saved_tensor(Node node, int place, bint is_output):
    cdef SavedTensor s = SavedTensor.__new__(SavedTensor)
    s.node, s.place, s.is_output = node, place, is_output
    return s
