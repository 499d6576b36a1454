#pragma once
#include <ATen/DeviceGuard.h>
