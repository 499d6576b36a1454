"""The tables of flambeau_nn, whose families are declared by this import."""

import flambeau_nn.functional  # noqa: F401
