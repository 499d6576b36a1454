"""The infrastructure of passes."""
