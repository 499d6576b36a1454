"""``torch._functorch``: where libraries change what ``vmap`` takes apart."""
