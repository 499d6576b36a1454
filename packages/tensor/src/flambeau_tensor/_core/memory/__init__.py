"""Storages, the Tensor and its geometry."""
