// The names that code blocks of the documentation use without declaring them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "pintle/native/cpu.h"
#include "pintle/native/cuda.h"
#include "pintle/native/opencl.h"
#include "pintle/native/pjrt.h"
#include "pintle/native/vulkan.h"
#include "pintle/pintle.h"
#include "pintle/planner.h"

using namespace pintle;
using namespace std::chrono_literals;

inline void log_line(const std::string&) {}

struct Names {
  Device device;
  Queue queue;
  Kernel kernel;
  ProgramPack pack;
  Grid grid;
  Buffer a, b, c, buffer;
  Signal ready, full;
  Recording step;
  std::vector<float> values;
  std::uint64_t n = 0;
  Result<void> result;
  Group group;
};

// Not every block uses every name.
#define PINTLE_TEST_NAMES(names)                                                                                    \
  [[maybe_unused]] auto& [device, queue, kernel, pack, grid, a, b, c, buffer, ready, full, step, values, n, result, \
                          group] = names
