"""``torch.backends.opt_einsum``: the optional library opt_einsum orders the products of an `einsum` with more than two
operands. `enabled` switches it off. Without it, each step multiplies the pair whose product is smallest relative to its
factors.
"""

from importlib.util import find_spec


def is_available() -> bool:
    """Return True if opt_einsum is installed."""
    return find_spec("opt_einsum") is not None


enabled = is_available()
strategy = "auto" if enabled else None  # opt_einsum's strategy: "auto", "greedy", "optimal"


def pairs(terms, output, sizes):
    """Return the two operands to multiply in each step; the product is appended to the others. None: there is no plan.

    Args:
        terms: the subscripts of each operand, as numbers.
        output: the subscripts of the result.
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
