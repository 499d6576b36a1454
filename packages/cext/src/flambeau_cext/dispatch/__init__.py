"""``__torch_dispatch__``: calls below autograd, passed to handlers as operators of ``torch.ops.aten``.

`python_dispatch` contains the names of ``torch.utils._python_dispatch``; `forms` and `decompositions` map calls to
PyTorch's operators. They are imported by the first call that has a handler.
"""

from flambeau_cext.dispatch import attributes as _attributes  # noqa: F401
from flambeau_cext.dispatch import kernels as _kernels  # noqa: F401  (importing declares)
from flambeau_cext.dispatch import upsampling as _upsampling  # noqa: F401
from flambeau_cext.dispatch.forms import decomposition, forms_of

__all__ = ["decomposition", "forms_of"]
