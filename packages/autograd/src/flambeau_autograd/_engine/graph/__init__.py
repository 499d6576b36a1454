"""The graph: recording calls, nodes and saved values, running backward."""
