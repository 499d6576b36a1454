"""``torch._logging``: what the compiler says about its traces."""

from flambeau_compile.logs import set_logs as set_logs
