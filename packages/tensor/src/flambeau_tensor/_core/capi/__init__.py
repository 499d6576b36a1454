"""The table of functions for C extensions. Extensions for the first minor versions look for it in this module."""

from flambeau_tensor._core.capi.table import API as API
