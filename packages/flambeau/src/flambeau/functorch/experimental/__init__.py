"""``functorch.experimental``: ``chunk_vmap`` and ``functionalize``, and the module ``control_flow``."""

from flambeau._functorch.apis import chunk_vmap as chunk_vmap
from flambeau.func import functionalize as functionalize
