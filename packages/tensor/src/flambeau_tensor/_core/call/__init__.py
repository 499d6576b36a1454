"""The path of a call: binding of arguments, the operator, what packages above fill in."""
