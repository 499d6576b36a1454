# cython: language_level=3
"""A saved tensor as an object, for hooks on it alone: the value of ``grad_fn._raw_saved_self``."""
from flambeau_autograd._engine.graph.node cimport IN_PLACE_OF_A_TENSOR, NOT_A_TENSOR, Node
from flambeau_autograd._engine.graph.saved cimport pack_later


cdef class SavedTensor:
    """A tensor that a node saves for backward. Nodes create it; its purpose is ``register_hooks``."""

    cdef Node node
    cdef int place
    cdef bint is_output

    def __init__(self):
        raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")

    def register_hooks(self, pack_hook=None, unpack_hook=None):
        """Save the result of ``pack_hook`` instead of the tensor; backward reads it through ``unpack_hook``.

        Raises:
            RuntimeError: the tensor has hooks already, was freed, or is None; or ``pack_hook`` wrote to it.

        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> y = x.exp()
        >>> y.grad_fn._raw_saved_result.register_hooks(lambda t: t.numpy().copy(), torch.from_numpy)
        """
        for hook in (pack_hook, unpack_hook):
            if not callable(hook):
                raise TypeError("register_hooks(): incompatible function arguments: pack_hook and unpack_hook must be "
                                f"callable, got {type(hook).__name__}")
        if self.node.saved[self.place].version in (NOT_A_TENSOR, IN_PLACE_OF_A_TENSOR) or self._is_none():
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        pack_later(&self.node.saved[self.place], (pack_hook, unpack_hook), self.is_output)

    cdef bint _is_none(self):
        """Whether no needed formula reads the value, so that nothing was saved."""
        return self.node.saved[self.place].value == NULL and not self.node.released


cdef object saved_tensor(Node node, int place, bint is_output):
    cdef SavedTensor s = SavedTensor.__new__(SavedTensor)
    s.node, s.place, s.is_output = node, place, is_output
    return s
