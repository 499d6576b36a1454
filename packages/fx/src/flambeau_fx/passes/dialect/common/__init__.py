"""Passes for all graphs of operators."""
