"""``torch._logging``: the log of the compiler about its traces."""

from flambeau_compile.logs import set_logs as set_logs
