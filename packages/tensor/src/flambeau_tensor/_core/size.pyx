# cython: language_level=3
"""The sizes of a tensor as users see them."""


cdef object _size_number(Py_ssize_t i, object size):
    if type(size) is int and -0x8000000000000000 <= size <= 0x7fffffffffffffff:
        return size
    if isinstance(size, float) or not hasattr(size, "__index__"):
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {i} is '{type(size).__name__}')")
    try:
        size = size.__index__()
        if not -0x8000000000000000 <= size <= 0x7fffffffffffffff:
            raise ValueError("Overflow when unpacking long long")
        return size
    except TypeError:
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {i} is '{type(size).__name__}')") from None


class Size(tuple):
    """The sizes of a tensor, a tuple of ints.

    Raises:
        TypeError: a size is no int.

    >>> size = torch.ones(2, 3).shape
    >>> size, size.numel(), size[1:], size == (2, 3)
    (torch.Size([2, 3]), 6, torch.Size([3]), True)
    """

    __slots__ = ()

    def __new__(cls, sizes=()):
        return tuple.__new__(cls, [_size_number(i, size) for i, size in enumerate(sizes)])

    def numel(self):
        """How many elements a tensor of these sizes has."""
        n = 1
        for s in self:
            n *= s
        return n

    def __repr__(self):
        return f"torch.Size({list(self)})"

    def __add__(self, other):
        return Size(tuple.__add__(self, other))

    def __radd__(self, other):
        return Size(tuple(other) + tuple(self))

    def __mul__(self, n):
        return Size(tuple.__mul__(self, n))

    __rmul__ = __mul__

    def __getitem__(self, index):
        item = tuple.__getitem__(self, index)
        return Size(item) if type(index) is slice else item

    def __reduce__(self):
        return Size, (tuple(self),)
