"""Programs that look at graphs or change them."""
