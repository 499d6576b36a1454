# cython: language_level=3
"""What an Operator and an OverloadSet have in common: they are functions to Python, which programs name and mark."""
import sys

from cpython.object cimport PyObject_GenericSetAttr


cdef class Public:
    """A function that pickles by its name, is its own copy, and takes attributes."""

    def __get__(self, instance, owner):
        # Only what stands in Tensor's dictionary binds, and that is a Method; a class attribute stays a function.
        return self

    def __reduce__(self):
        # By the name under which PyTorch has it, where it is reached by it: after install_as_torch().
        if getattr(sys.modules.get(self.__module__), self.__qualname__, None) is self:
            return self.__qualname__
        from flambeau_tensor._core.schema.registry import find_operator

        return find_operator, (self.__torch_name__,)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    @property
    def __qualname__(self):
        return self.__torch_name__.removeprefix(f"{self.__module__}.")

    @property
    def __dict__(self):
        if self.extra is None:
            self.extra = {}
        return self.extra

    def __setattr__(self, name, value):
        # Programs note things at functions: `F.relu.__default_init__ = kaiming_uniform_`.
        if hasattr(type(self), name):
            PyObject_GenericSetAttr(self, name, value)
        else:
            vars(self)[name] = value
