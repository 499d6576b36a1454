# cython: language_level=3
"""The common base of Operator and OverloadSet: Python functions that pickle and take attributes."""
import sys

from cpython.object cimport PyObject_GenericSetAttr


cdef class Public:
    """A function that is pickled by name, copies to itself, and accepts attributes."""

    def __get__(self, instance, owner):
        # Only objects in Tensor's dictionary bind, and those are Methods; as another class attribute, a function stays
        # a function.
        return self

    def __reduce__(self):
        # Pickle by PyTorch's name if the function is reachable by it, which is so after install_as_torch().
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
        # Programs set attributes on functions: `F.relu.__default_init__ = kaiming_uniform_`.
        if hasattr(type(self), name):
            PyObject_GenericSetAttr(self, name, value)
        else:
            vars(self)[name] = value
