"""``torch.utils.model_zoo``: the older name of ``torch.hub.load_state_dict_from_url``."""

from typing import Any

from flambeau.hub import load_state_dict_from_url as load_url

__all__ = ["load_url"]


def __getattr__(name: str) -> Any:
    if name == "tqdm":
        from flambeau import hub

        return hub.tqdm
    raise AttributeError(f"module 'torch.utils.model_zoo' has no attribute {name!r}")
