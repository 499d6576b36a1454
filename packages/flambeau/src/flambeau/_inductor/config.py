"""Settings of PyTorch's code generator: they can be set, and change nothing."""

max_autotune = False
coordinate_descent_tuning = False
fx_graph_cache = True
freezing = False
cpp_wrapper = False
