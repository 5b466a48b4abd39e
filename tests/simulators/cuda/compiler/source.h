// From preprocessed CUDA C to C++ for the host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pintle::simulator {

/// A kernel of the source.
struct FoundKernel {
  std::string name;
  int max_threads = 0;  ///< What `__launch_bounds__` says.
};

[[nodiscard]] std::vector<FoundKernel> find_kernels(std::string_view preprocessed);
/// `preprocessed` with each kind of shared memory as the host has it, and a table of the kernels behind it.
[[nodiscard]] std::string host_source(std::string preprocessed, const std::vector<FoundKernel>& kernels);

}  // namespace pintle::simulator
