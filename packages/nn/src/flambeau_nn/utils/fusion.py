"""Fusion of batch normalization into the preceding layer, for evaluation."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import flambeau_tensor as ft
from flambeau_nn.parameter import Parameter
from flambeau_tensor import Tensor

if TYPE_CHECKING:
    from flambeau_nn.modules.module import Module

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]


def _fused(layer: Module, bn: Module, fuse: Callable[..., tuple[Parameter, Parameter]]) -> Module:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    fused = copy.deepcopy(layer)
    fused.weight, fused.bias = fuse(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused


def fuse_conv_bn_eval(conv: Module, bn: Module, transpose: bool = False) -> Module:
    """A convolution that computes ``conv`` and ``bn`` in evaluation; with ``transpose``, a transposed one."""
    return _fused(conv, bn, partial(fuse_conv_bn_weights, transpose=transpose))


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """Weight and bias of the convolution with the batch normalization in it."""
    conv_b = ft.zeros_like(bn_rm) if conv_b is None else conv_b
    bn_w = ft.ones_like(bn_rm) if bn_w is None else bn_w
    bn_b = ft.zeros_like(bn_rm) if bn_b is None else bn_b
    scale = bn_w * (bn_rv + bn_eps).rsqrt()
    shape = [1] * conv_w.ndim
    shape[1 if transpose else 0] = -1
    weight = (conv_w * scale.reshape(tuple(shape))).to(conv_w.dtype)
    bias = ((conv_b - bn_rm) * scale + bn_b).to(conv_b.dtype)
    return Parameter(weight.detach(), conv_w.requires_grad), Parameter(bias.detach(), conv_b.requires_grad)


def fuse_linear_bn_eval(linear: Module, bn: Module) -> Module:
    """A linear layer that computes ``linear`` and ``bn`` in evaluation mode."""
    if linear.out_features != bn.num_features and bn.num_features != 1 and not (linear.training or bn.training):
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
            f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    return _fused(linear, bn, fuse_linear_bn_weights)


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
) -> tuple[Parameter, Parameter]:
    """Weight and bias of the linear layer with the batch normalization in it."""
    linear_b = ft.zeros_like(bn_rm) if linear_b is None else linear_b
    scale = bn_w * (bn_rv + bn_eps).rsqrt()
    weight = (linear_w * scale.unsqueeze(-1)).to(linear_w.dtype)
    bias = ((linear_b - bn_rm) * scale + bn_b).to(linear_b.dtype)
    return Parameter(weight.detach(), linear_w.requires_grad), Parameter(bias.detach(), linear_b.requires_grad)
