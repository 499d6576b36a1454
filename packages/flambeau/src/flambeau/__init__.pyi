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
from flambeau.sparse import sparse_compressed_tensor as sparse_compressed_tensor
from flambeau.sparse import sparse_coo_tensor as sparse_coo_tensor
from flambeau.sparse import sparse_csr_tensor as sparse_csr_tensor
from flambeau.symbolic import SymBool as SymBool
from flambeau.symbolic import SymFloat as SymFloat
from flambeau.symbolic import SymInt as SymInt
from flambeau_autograd import enable_grad as enable_grad
from flambeau_autograd import inference_mode as inference_mode
from flambeau_autograd import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from flambeau_autograd import is_anomaly_enabled as is_anomaly_enabled
from flambeau_autograd import is_grad_enabled as is_grad_enabled
from flambeau_autograd import is_inference_mode_enabled as is_inference_mode_enabled
from flambeau_autograd import no_grad as no_grad
from flambeau_autograd import set_grad_enabled as set_grad_enabled
from flambeau_autograd.func import vmap as vmap
from flambeau_nn.functional import adaptive_avg_pool1d as adaptive_avg_pool1d
from flambeau_nn.functional import adaptive_max_pool1d as adaptive_max_pool1d
from flambeau_nn.functional import alpha_dropout as alpha_dropout
from flambeau_nn.functional import avg_pool1d as avg_pool1d
from flambeau_nn.functional import batch_norm as batch_norm
from flambeau_nn.functional import bilinear as bilinear
from flambeau_nn.functional import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from flambeau_nn.functional import celu as celu
from flambeau_nn.functional import celu_ as celu_
from flambeau_nn.functional import channel_shuffle as channel_shuffle
from flambeau_nn.functional import conv1d as conv1d
from flambeau_nn.functional import conv2d as conv2d
from flambeau_nn.functional import conv3d as conv3d
from flambeau_nn.functional import conv_tbc as conv_tbc
from flambeau_nn.functional import conv_transpose1d as conv_transpose1d
from flambeau_nn.functional import conv_transpose2d as conv_transpose2d
from flambeau_nn.functional import conv_transpose3d as conv_transpose3d
from flambeau_nn.functional import cosine_embedding_loss as cosine_embedding_loss
from flambeau_nn.functional import cosine_similarity as cosine_similarity
from flambeau_nn.functional import ctc_loss as ctc_loss
from flambeau_nn.functional import dropout as dropout
from flambeau_nn.functional import embedding as embedding
from flambeau_nn.functional import embedding_bag as embedding_bag
from flambeau_nn.functional import feature_alpha_dropout as feature_alpha_dropout
from flambeau_nn.functional import group_norm as group_norm
from flambeau_nn.functional import hardshrink as hardshrink
from flambeau_nn.functional import hinge_embedding_loss as hinge_embedding_loss
from flambeau_nn.functional import instance_norm as instance_norm
from flambeau_nn.functional import kl_div as kl_div
from flambeau_nn.functional import layer_norm as layer_norm
from flambeau_nn.functional import margin_ranking_loss as margin_ranking_loss
from flambeau_nn.functional import max_pool1d as max_pool1d
from flambeau_nn.functional import max_pool1d_with_indices as max_pool1d_with_indices
from flambeau_nn.functional import max_pool2d as max_pool2d
from flambeau_nn.functional import max_pool3d as max_pool3d
from flambeau_nn.functional import native_channel_shuffle as native_channel_shuffle
from flambeau_nn.functional import pairwise_distance as pairwise_distance
from flambeau_nn.functional import pixel_shuffle as pixel_shuffle
from flambeau_nn.functional import pixel_unshuffle as pixel_unshuffle
from flambeau_nn.functional import poisson_nll_loss as poisson_nll_loss
from flambeau_nn.functional import prelu as prelu
from flambeau_nn.functional import rms_norm as rms_norm
from flambeau_nn.functional import rrelu as rrelu
from flambeau_nn.functional import rrelu_ as rrelu_
from flambeau_nn.functional import selu as selu
from flambeau_nn.functional import selu_ as selu_
from flambeau_nn.functional import threshold_ as threshold_
from flambeau_nn.functional import triplet_margin_loss as triplet_margin_loss

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
from . import sparse as sparse
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
