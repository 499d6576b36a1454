# cython: language_level=3
"""The table of casting loops, of the build for this processor."""
from libc.string cimport memcpy

from flambeau_tensor._core.types cimport NDTYPES

from flambeau_tensor._kernels.levels import hot

memcpy(<void*>&CAST[0][0], <void*><size_t>hot("casts").TABLE, NDTYPES * NDTYPES * sizeof(cast_t))
