"""Written by flambeau.stubs from the table of the layout; do not edit."""

from . import _foreach_utils as _foreach_utils
from . import _python_dispatch as _python_dispatch
from . import benchmark as benchmark
from . import checkpoint as checkpoint
from . import collect_env as collect_env
from . import cpp_extension as cpp_extension
from . import data as data
from . import deterministic as deterministic
from . import dlpack as dlpack
from . import ffi as ffi
from . import flop_counter as flop_counter
from . import hooks as hooks
from . import model_zoo as model_zoo
from . import module_tracker as module_tracker
from . import tensorboard as tensorboard
from . import weak as weak
