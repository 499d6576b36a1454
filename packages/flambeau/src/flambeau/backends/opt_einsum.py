"""``torch.backends.opt_einsum``: a library for the order of products, which is not used."""
enabled = False
strategy = None


def is_available() -> bool:
    """False."""
    return False
