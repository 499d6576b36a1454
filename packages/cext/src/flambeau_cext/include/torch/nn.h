/* torch::nn: modules, their functions, and initialization of parameters. */
#pragma once

#include <torch/nn/containers.h>
#include <torch/nn/functional.h>
#include <torch/nn/init.h>
#include <torch/nn/module.h>
#include <torch/nn/modules.h>
#include <torch/nn/utils.h>
