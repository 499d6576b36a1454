"""``functorch.experimental``: ``vmap`` in pieces, and ``functionalize``; ``control_flow`` beside them."""

from flambeau._functorch.apis import chunk_vmap as chunk_vmap
from flambeau.func import functionalize as functionalize
