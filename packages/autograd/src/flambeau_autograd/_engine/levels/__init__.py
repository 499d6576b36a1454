"""The transforms under way: levels, what tensors are at each, calls on those."""
