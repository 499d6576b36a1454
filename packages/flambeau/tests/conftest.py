"""Tests of the full stack: programs written for PyTorch, run under flambeau's name."""
