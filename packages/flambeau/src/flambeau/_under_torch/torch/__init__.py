"""flambeau in PyTorch's place, for processes that find this folder on their path.

`flambeau.install_as_torch()` adds the folder to the path of its process and of its child processes. A Python without
flambeau imports the next ``torch`` on its path, if there is one.
"""

import os
import sys

del sys.modules["torch"]  # this module, which the real one replaces
try:
    import flambeau

    flambeau.install_as_torch()
except ImportError as error:
    if error.name != "flambeau":
        raise
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != here]
    import torch  # noqa: F401
