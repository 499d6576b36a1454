"""Capabilities of the namespace."""

import flambeau_tensor as torch
from flambeau_tensor._core.elementwise.dtype import DType
from flambeau_tensor.array_api.data_types import KINDS


class Info:
    """Answers the standard's questions about devices, dtypes and limits.

    >>> Info().default_device()
    device(type='cpu')
    """

    def capabilities(self) -> dict[str, bool | int | None]:
        """Return the capabilities: shapes may depend on elements, and tensors have at most 64 dimensions.

        >>> Info().capabilities()["max dimensions"]
        64
        """
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> object:
        """Return the default device of tensors.

        >>> Info().default_device().type
        'cpu'
        """
        return torch.get_default_device()

    def devices(self) -> list[object]:
        """Return all devices; on 'meta', tensors have no elements.

        >>> Info().devices()
        [device(type='cpu'), device(type='meta')]
        """
        return [torch.device("cpu"), torch.device("meta")]

    def default_dtypes(self, *, device: object = None) -> dict[str, DType]:
        """Return the dtypes of Python's numbers.

        >>> Info().default_dtypes()["real floating"]
        torch.float32
        """
        real = torch.get_default_dtype()
        return {
            "real floating": real,
            "complex floating": torch.complex128 if real is torch.float64 else torch.complex64,
            "integral": torch.int64,
            "indexing": torch.int64,
        }

    def dtypes(self, *, device: object = None, kind: str | tuple[str, ...] | None = None) -> dict[str, DType]:
        """Return the dtypes of one or several kinds, by name.

        >>> Info().dtypes(kind="real floating")
        {'float32': torch.float32, 'float64': torch.float64}
        """
        kinds = ("bool", "numeric") if kind is None else kind if isinstance(kind, tuple) else (kind,)
        for each in kinds:
            if each not in KINDS:
                raise ValueError(f"dtypes(): there is no kind {each!r} of dtypes")
        return {name: getattr(torch, name) for each in kinds for name in KINDS[each]}


def __array_namespace_info__() -> Info:
    """Return an object that describes this namespace.

    >>> sorted(__array_namespace_info__().dtypes(kind="bool"))
    ['bool']
    """
    return Info()
