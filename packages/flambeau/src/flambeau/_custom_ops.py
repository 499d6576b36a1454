"""``torch._custom_ops``: the older place of what ``torch.library`` has."""

from flambeau_cext.library import get_ctx as get_ctx
from flambeau_cext.library import infer_schema as infer_schema
