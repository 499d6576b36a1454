"""Passes, which analyze or change graphs."""
