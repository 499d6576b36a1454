"""``torch.distributed.algorithms``: joining of ranks that have different numbers of inputs."""

from flambeau_distributed.algorithms.join import Join as Join
from flambeau_distributed.algorithms.join import Joinable as Joinable
from flambeau_distributed.algorithms.join import JoinHook as JoinHook
