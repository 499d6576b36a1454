"""The table that extensions in C see tensors through. Those of its first minor versions look for it in this module."""

from flambeau_tensor._core.capi.table import API as API
