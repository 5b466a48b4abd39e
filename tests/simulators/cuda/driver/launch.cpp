// Launches: what the driver checks at the call.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "driver/state.h"
#include "exports.h"

namespace pintle::simulator {
namespace {

/// Lines 188 to 208.
bool is_valid(const vendor::cuda::KernelNode& shape) {
  for (const auto& sides : {shape.grid, shape.block}) {
    if (std::ranges::find(sides, 0u) != sides.end()) return false;
  }
  const std::size_t items = std::size_t{shape.block[0]} * shape.block[1] * shape.block[2];
  return shape.grid[0] <= 2147483647u && shape.grid[1] <= 65535 && shape.grid[2] <= 65535 && items <= 1024 &&
         shape.block[2] <= 64 && shape.shared_bytes <= shape.function->most_dynamic_shared;
}

/// Copies the argument that each pointer of `given` points to.
void copy_each(void** given, const std::vector<ParameterLayout>& parameters, std::vector<std::byte>& arguments) {
  std::size_t size = 0;
  const auto offsets = offsets_of(parameters, size);
  arguments.resize(size);
  for (std::size_t index = 0; index < parameters.size(); ++index)
    std::memcpy(arguments.data() + offsets[index], given[index], parameters[index].size);
}

/// One buffer with all arguments. Too small is taken, and what is missing is not the caller's (lines 209 to 219).
Status copy_whole(void** extra, const std::vector<ParameterLayout>& parameters, std::vector<std::byte>& arguments) {
  using namespace vendor::cuda;
  const void* buffer = nullptr;
  std::size_t given = 0, size = 0;
  for (void** at = extra; reinterpret_cast<std::uintptr_t>(at[0]) != launch_end; at += 2) {
    if (reinterpret_cast<std::uintptr_t>(at[0]) == launch_buffer) buffer = at[1];
    if (reinterpret_cast<std::uintptr_t>(at[0]) == launch_buffer_size) given = *static_cast<std::size_t*>(at[1]);
  }
  static_cast<void>(offsets_of(parameters, size));
  if (given > size) return Status::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  if (buffer == nullptr || given == 0) return Status::CUDA_ERROR_INVALID_VALUE;
  arguments.assign(size, std::byte{0xa5});
  std::memcpy(arguments.data(), buffer, given);
  return Status::CUDA_SUCCESS;
}

Status copy_arguments(void** each, void** extra, const std::vector<ParameterLayout>& parameters,
                      std::vector<std::byte>& arguments) {
  if (each != nullptr && extra != nullptr) return Status::CUDA_ERROR_INVALID_VALUE;  // line 217
  if (extra != nullptr) return copy_whole(extra, parameters, arguments);
  if (parameters.empty()) return Status::CUDA_SUCCESS;           // line 196
  if (each == nullptr) return Status::CUDA_ERROR_INVALID_VALUE;  // line 197
  copy_each(each, parameters, arguments);
  return Status::CUDA_SUCCESS;
}

}  // namespace

double kernel_time() {
  const char* const given = std::getenv(SIMULATED_SETTING("KERNEL_US"));
  return given == nullptr ? 0 : std::atof(given);
}

bool plays_time() { return std::getenv(SIMULATED_SETTING("KERNEL_US")) != nullptr; }

/// A card would read what is there by then, or fault. Whatever has the size of an address may be one.
void check_arguments(const char* call, const Launch& launch) {
  const auto& gone = process().unregistered;
  if (gone.empty()) return;
  const std::vector<ParameterLayout> parameters(launch.entry->parameters,
                                                launch.entry->parameters + launch.entry->parameter_count);
  std::size_t size = 0;
  const auto offsets = offsets_of(parameters, size);
  for (std::size_t index = 0; index < parameters.size(); ++index) {
    std::uintptr_t address = 0;
    if (parameters[index].size != sizeof address) continue;
    std::memcpy(&address, launch.arguments.data() + offsets[index], sizeof address);
    auto place = gone.upper_bound(address);
    if (place == gone.begin() || address - (--place)->first >= place->second) continue;
    die(call, "memory of the host that was unregistered");
  }
}

Status prepare(const vendor::cuda::KernelNode& node, Context context, Launch& launch) {
  const Function function = node.function;
  if (function == nullptr || !function->module->is_alive) return Status::CUDA_ERROR_INVALID_HANDLE;  // lines 198, 1112
  if (function->module->context != context) return Status::CUDA_ERROR_INVALID_HANDLE;                // lines 173, 174
  if (!is_valid(node)) return Status::CUDA_ERROR_INVALID_VALUE;
  const int most = function->text->max_threads;
  if (most != 0 && node.block[0] * node.block[1] * node.block[2] > static_cast<unsigned>(most))
    return Status::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;  // assumed, as with too many registers
  if (function->host == nullptr) {
    std::fprintf(stderr, "simulated %s: kernel %s is foreign code, which is loaded and not launched.\n", card::library,
                 function->text->name.c_str());
    return Status::CUDA_ERROR_NOT_SUPPORTED;
  }
  launch = {function->module->host, function->host, node.grid, node.block, {}};
  return copy_arguments(node.arguments, node.extra, function->text->parameters, launch.arguments);
}

}  // namespace pintle::simulator

using namespace pintle::simulator;

PINTLE_SIMULATED Status cuLaunchKernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                       Stream given, void** arguments, void** extra) {
  Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  const Stream stream = stream_of("cuLaunchKernel", given);
  if (stream == nullptr) return Status::CUDA_ERROR_INVALID_CONTEXT;  // line 150
  const pintle::vendor::cuda::KernelNode node{
      function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, arguments, extra};
  Launch launch;
  if (const Status status = prepare(node, stream->context, launch); status != Status::CUDA_SUCCESS) return status;
  check_arguments("cuLaunchKernel", launch);
  return enqueue(lock, stream,
                 {.run = [launch = std::move(launch)] { return run_grid(launch); },
                  .is_kernel = true,
                  .microseconds = kernel_time()});
}
