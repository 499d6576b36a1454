/* The functions of torch::stable; torch_call_dispatcher calls others. */
#pragma once

#include <torch/csrc/stable/c/shim.h>
#include <torch/csrc/stable/functions.h>
