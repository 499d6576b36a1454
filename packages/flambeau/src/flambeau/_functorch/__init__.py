"""``torch._functorch``: where libraries change what ``vmap`` takes apart, and import ``chunk_vmap`` from."""
