#pragma once
#include <torch/csrc/stable/c/shim.h>
