"""``__torch_dispatch__``: calls below autograd, handed over as operators of ``torch.ops.aten``.

`python_dispatch` has what programs import from ``torch.utils._python_dispatch``; `forms` and `decompositions` say which
operators of PyTorch's a call is. They load with the first call that somebody handles.
"""

from flambeau_cext.dispatch import attributes as _attributes  # noqa: F401
from flambeau_cext.dispatch import kernels as _kernels  # noqa: F401  (importing declares)
from flambeau_cext.dispatch import upsampling as _upsampling  # noqa: F401
from flambeau_cext.dispatch.forms import decomposition, forms_of

__all__ = ["decomposition", "forms_of"]
