"""``torch.special``: special functions. The operators are declared when one of them is first used."""

from flambeau_tensor.namespaces import served

__all__, __getattr__, __dir__ = served("torch.special", globals())
