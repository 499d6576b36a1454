"""Written by flambeau.stubs from the table of the layout; do not edit."""

from typing import Any

from flambeau_tensor import *
from flambeau.amp.autocast_mode import autocast as autocast
from flambeau.amp.autocast_mode import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from flambeau.amp.autocast_mode import get_autocast_dtype as get_autocast_dtype
from flambeau.amp.autocast_mode import get_autocast_gpu_dtype as get_autocast_gpu_dtype
from flambeau.amp.autocast_mode import is_autocast_available as is_autocast_available
from flambeau.amp.autocast_mode import is_autocast_cache_enabled as is_autocast_cache_enabled
from flambeau.amp.autocast_mode import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from flambeau.amp.autocast_mode import is_autocast_enabled as is_autocast_enabled
from flambeau.amp.autocast_mode import set_autocast_dtype as set_autocast_dtype
from flambeau.compiler import compile as compile
from flambeau.cuda import OutOfMemoryError as OutOfMemoryError
from flambeau.futures import Future as Future
from flambeau.model_summary import summary as summary
from flambeau_autograd import enable_grad as enable_grad
from flambeau_autograd import inference_mode as inference_mode
from flambeau_autograd import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from flambeau_autograd import is_anomaly_enabled as is_anomaly_enabled
from flambeau_autograd import is_grad_enabled as is_grad_enabled
from flambeau_autograd import is_inference_mode_enabled as is_inference_mode_enabled
from flambeau_autograd import no_grad as no_grad
from flambeau_autograd import set_grad_enabled as set_grad_enabled
from flambeau_autograd.func import vmap as vmap
from flambeau_nn.functional import channel_shuffle as channel_shuffle
from flambeau_nn.functional import conv1d as conv1d
from flambeau_nn.functional import conv2d as conv2d
from flambeau_nn.functional import conv3d as conv3d
from flambeau_nn.functional import conv_tbc as conv_tbc
from flambeau_nn.functional import conv_transpose1d as conv_transpose1d
from flambeau_nn.functional import conv_transpose2d as conv_transpose2d
from flambeau_nn.functional import conv_transpose3d as conv_transpose3d
from flambeau_nn.functional import native_channel_shuffle as native_channel_shuffle
from flambeau_nn.functional import pixel_shuffle as pixel_shuffle
from flambeau_nn.functional import pixel_unshuffle as pixel_unshuffle

from . import accelerator as accelerator
from . import amp as amp
from . import autograd as autograd
from . import backends as backends
from . import cext as cext
from . import compiler as compiler
from . import cpu as cpu
from . import cuda as cuda
from . import distributed as distributed
from . import distributions as distributions
from . import fft as fft
from . import func as func
from . import functional as functional
from . import futures as futures
from . import fx as fx
from . import hub as hub
from . import jit as jit
from . import library as library
from . import linalg as linalg
from . import masked as masked
from . import mps as mps
from . import mtia as mtia
from . import multiprocessing as multiprocessing
from . import nn as nn
from . import onnx as onnx
from . import optim as optim
from . import overrides as overrides
from . import profiler as profiler
from . import random as random
from . import return_types as return_types
from . import serialization as serialization
from . import signal as signal
from . import special as special
from . import storage as storage
from . import testing as testing
from . import torch_version as torch_version
from . import utils as utils
from . import version as version
from . import xpu as xpu

RELEASE: str
__version__: str
ops: Any

def install_as_torch() -> None: ...
