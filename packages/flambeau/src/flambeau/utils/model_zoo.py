"""``torch.utils.model_zoo``: the older name of ``torch.hub.load_state_dict_from_url``."""

from flambeau.hub import load_state_dict_from_url as load_url
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = ["load_url"]


__getattr__, __dir__ = _attach(__name__, "torch.utils.model_zoo", {"tqdm": "flambeau.hub"})
