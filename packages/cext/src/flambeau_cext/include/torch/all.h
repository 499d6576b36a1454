/* Tensors, autograd and the definition of operators; without pybind11. */
#pragma once

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>
#include <torch/types.h>
