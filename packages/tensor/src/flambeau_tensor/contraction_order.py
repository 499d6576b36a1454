"""``torch.backends.opt_einsum``: the library opt_einsum, which, where it is installed, orders the products of `einsum`
with more than two operands. `enabled` switches it off; then, and without it, each step takes the pair whose product is
smallest beside its factors.
"""

from importlib.util import find_spec


def is_available() -> bool:
    """Return True if opt_einsum is installed."""
    return find_spec("opt_einsum") is not None


enabled = is_available()
strategy = "auto" if enabled else None  # of opt_einsum: "auto", "greedy", "optimal"


def pairs(terms, output, sizes):
    """Which two operands to multiply in each step, the product being put behind the others; None to choose as one goes.

    Args:
        terms: the subscripts of each operand, as numbers.
        output: those of the result.
        sizes: the size of each subscript.
    """
    if not (enabled and is_available()):
        return None
    import opt_einsum

    letters = {s: opt_einsum.get_symbol(i) for i, s in enumerate(sizes)}
    equation = ",".join("".join(letters[s] for s in term) for term in terms)
    path, _ = opt_einsum.contract_path(
        f"{equation}->{''.join(letters[s] for s in output)}",
        *(tuple(sizes[s] for s in term) for term in terms),
        shapes=True,
        optimize="auto" if strategy is None else strategy,
    )
    return path if all(len(step) == 2 for step in path) else None
