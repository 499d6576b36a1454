"""``torch._custom_ops``: the older location of functions of ``torch.library``."""

from flambeau_cext.library import get_ctx as get_ctx
from flambeau_cext.library import infer_schema as infer_schema
