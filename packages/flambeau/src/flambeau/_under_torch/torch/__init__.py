"""flambeau in PyTorch's place, for processes that find this folder on their path.

`flambeau.install_as_torch()` puts the folder on the path of its process and of those that it starts. A Python that does
not have flambeau takes the ``torch`` that comes behind it on its path, if it has one.
"""

import os
import sys

del sys.modules["torch"]  # this module, in whose place comes the real one
try:
    import flambeau

    flambeau.install_as_torch()
except ImportError as error:
    if error.name != "flambeau":
        raise
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != here]
    import torch  # noqa: F401
