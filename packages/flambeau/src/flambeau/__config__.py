"""``torch.__config__``: the build configuration as text."""


def show() -> str:
    """The versions of flambeau, Python and NumPy, and the level of instructions of the kernels."""
    import platform

    import numpy

    from flambeau import RELEASE
    from flambeau_tensor.extend import LEVEL

    return (
        f"flambeau {RELEASE} built with:\n  - Python {platform.python_version()}\n  - NumPy {numpy.__version__}\n"
        f"  - CPU level: {LEVEL}\n  - CUDA: none\n"
    )


def parallel_info() -> str:
    """Return the number of threads as text."""
    from flambeau_tensor import get_num_threads

    return f"threads of operators: {get_num_threads()}\n"
