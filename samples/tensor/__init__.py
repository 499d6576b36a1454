"""The tables of flambeau_tensor."""
