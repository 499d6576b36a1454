"""Dtypes, and the engine of elementwise operators, including copying."""
