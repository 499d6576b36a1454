#pragma once
#include <torch/csrc/autograd/VariableTypeUtils.h>
