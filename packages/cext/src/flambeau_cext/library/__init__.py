"""Custom operators, as in ``torch.library``: Python, C or C++ functions as operators like those of the library.

``custom_op`` derives one from a function and its type hints; ``Library`` declares them by schema and adds kernels.
They are accessed as ``torch.ops.NAMESPACE.NAME``, support autograd by ``register_autograd`` and ``vmap`` by
``register_vmap``, can be overridden with ``__torch_function__``, and `opcheck` tests them.
"""

from flambeau_cext.library.custom_ops import (
    CustomOpDef,
    custom_op,
    get_kernel,
    impl_abstract,
    register_autocast,
    register_autograd,
    register_fake,
    register_kernel,
    register_torch_dispatch,
    register_vmap,
    triton_op,
    wrap_triton,
)
from flambeau_cext.library.libraries import Library, _scoped_library, define, fallthrough_kernel, impl
from flambeau_cext.library.opcheck import OpCheckError, get_ctx, opcheck
from flambeau_cext.library.schema import infer_schema

__all__ = [
    "CustomOpDef", "Library", "OpCheckError", "custom_op", "define", "fallthrough_kernel", "get_ctx",
    "get_kernel", "impl", "impl_abstract", "infer_schema", "opcheck", "register_autocast", "register_autograd",
    "register_fake", "register_kernel", "register_torch_dispatch", "register_vmap", "triton_op", "wrap_triton",
]  # fmt: skip

_scoped_library = _scoped_library  # PyTorch's name for it, which programs use
