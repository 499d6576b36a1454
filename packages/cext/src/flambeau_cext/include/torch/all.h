/* Tensors, autograd and the definition of operators; without pybind11. */
#pragma once

#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/fft.h>
#include <torch/library.h>
#include <torch/linalg.h>
#include <torch/special.h>
#include <torch/types.h>

#ifndef FLAMBEAU_FUNCTIONS_HPP /* load_inline binds sources that use these with pybind11 */
#include <torch/nn.h>
#include <torch/optim.h>
#include <torch/serialize.h>
#endif
