#pragma once
#include <torch/headeronly/headeronly.h>
