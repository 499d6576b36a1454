"""Helpers for pipes over files."""
