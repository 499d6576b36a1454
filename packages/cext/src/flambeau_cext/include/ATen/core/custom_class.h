#pragma once
#include <torch/custom_class.h>
