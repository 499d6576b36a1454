from typing import Any

from flambeau_autograd import *

def __getattr__(name: str) -> Any: ...
