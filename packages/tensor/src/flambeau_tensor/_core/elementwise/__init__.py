"""Dtypes, and the engine of what works element by element, copying included."""
