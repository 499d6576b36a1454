"""Parts of passes: matching."""
