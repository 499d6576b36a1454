"""The graph: recording calls, nodes and what they keep, running it backward."""
