"""``torch.cuda.random``: those of ``torch.cuda``'s names that programs look for here."""

from flambeau import cuda


def __getattr__(name):
    return getattr(cuda, name)
