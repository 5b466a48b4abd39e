// The process, its one device and its contexts.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "driver/state.h"
#include "exports.h"

namespace pintle::simulator {
namespace {

using vendor::cuda::DeviceAttribute;

constexpr std::array<std::pair<DeviceAttribute, int>, 17> attributes{{
    // lines 22 to 25
    {DeviceAttribute::max_threads_per_block, 1024},
    {DeviceAttribute::max_block_x, 1024},
    {DeviceAttribute::max_block_y, 1024},
    {DeviceAttribute::max_block_z, 64},
    {DeviceAttribute::max_grid_x, 2147483647},
    {DeviceAttribute::max_grid_y, 65535},
    {DeviceAttribute::max_grid_z, 65535},
    {DeviceAttribute::max_shared_per_block, static_cast<int>(card::default_shared)},
    {DeviceAttribute::warp_size, 32},
    {DeviceAttribute::integrated, 0},
    {DeviceAttribute::pci_bus, 0},
    {DeviceAttribute::pci_device, 6},
    {DeviceAttribute::pci_domain, 0},
    {DeviceAttribute::compute_capability_major, 9},
    {DeviceAttribute::compute_capability_minor, 0},
    {DeviceAttribute::max_shared_per_block_opt_in, static_cast<int>(card::most_shared)},
    {DeviceAttribute::read_only_registration, 1},  // line 278
}};

/// What a test wants of the driver: a number, or `otherwise`.
int setting(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

bool is_masked() {
  return std::ranges::any_of(card::masks, [](const char* name) {
    const char* const visible = std::getenv(name);
    return visible != nullptr && (*visible == '\0' || std::strcmp(visible, "-1") == 0);
  });
}

std::mutex primary_mutex;
Context primary = nullptr;
int primary_uses = 0;

/// Without the gate's fault: what describes a device goes on.
Status started() {
  return process().initialized_by.load() == ::getpid() ? Status::CUDA_SUCCESS : Status::CUDA_ERROR_NOT_INITIALIZED;
}

}  // namespace
}  // namespace pintle::simulator

using namespace pintle::simulator;
using pintle::vendor::cuda::Device;
using pintle::vendor::cuda::DeviceAttribute;
using pintle::vendor::cuda::Uuid;

PINTLE_SIMULATED Status cuInit(unsigned flags) {
  Process& all = process();
  if (flags != 0) return Status::CUDA_ERROR_INVALID_VALUE;
  const pid_t by = all.initialized_by.load();
  if (by != 0) return started();  // lines 377, 384; line 740: a fault does not matter to it
  if (const int refusal = setting(SIMULATED_SETTING("INIT"), 0); refusal != 0) return Status(refusal);
  if (is_masked()) return Status::CUDA_ERROR_NO_DEVICE;
  all.initialized_by.store(::getpid());
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuDriverGetVersion(int* version) {
  *version = setting(SIMULATED_SETTING("VERSION"), 13000);  // line 17
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuDeviceGetCount(int* count) {
  if (const Status status = started(); status != Status::CUDA_SUCCESS) return status;
  *count = 1;
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuDeviceGet(Device* device, int ordinal) {
  if (const Status status = started(); status != Status::CUDA_SUCCESS) return status;
  if (ordinal != 0) return Status::CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuDeviceGetName(char* name, int size, Device) {
  std::snprintf(name, static_cast<std::size_t>(size), "Simulated NVIDIA H200");
  return started();
}

PINTLE_SIMULATED Status cuDeviceGetUuid(Uuid* uuid, Device) {
  std::memcpy(uuid->bytes.data(), "pintle-simulated", uuid->bytes.size());
  return started();
}

PINTLE_SIMULATED Status cuDeviceTotalMem_v2(std::size_t* bytes, Device) {
  *bytes = memory_bytes;
  return started();
}

PINTLE_SIMULATED Status cuDeviceGetAttribute(int* value, DeviceAttribute wanted, Device) {
  if (const Status status = started(); status != Status::CUDA_SUCCESS) return status;
  for (const auto& [attribute, known] : attributes) {
    if (attribute != wanted) continue;
    *value = known;
    return Status::CUDA_SUCCESS;
  }
  return Status::CUDA_ERROR_INVALID_VALUE;
}

PINTLE_SIMULATED Status cuCtxCreate_v2(Context* context, unsigned, Device) {
  Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;  // line 736
  if (process().used + card::context_bytes > memory_bytes) return Status::CUDA_ERROR_OUT_OF_MEMORY;
  wait_for_kernels(lock);  // line 303
  process().used += card::context_bytes;
  *context = new pintle::vendor::cuda::ContextObject;
  context_stack().push_back(*context);
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuCtxDestroy_v2(Context context) {
  Lock lock(process().mutex);
  if (started() != Status::CUDA_SUCCESS) return started();
  if (context == nullptr) return Status::CUDA_ERROR_INVALID_CONTEXT;
  if (!context->is_alive) return Status::CUDA_ERROR_CONTEXT_IS_DESTROYED;  // line 1116
  wait_for_kernels(lock);                                                  // lines 348, 1075
  context->is_alive = false;
  process().used -= card::context_bytes;
  free_memory_of(context);
  if (!context_stack().empty() && context_stack().back() == context) context_stack().pop_back();
  return Status::CUDA_SUCCESS;  // line 737: also after a fault
}

PINTLE_SIMULATED Status cuCtxGetDevice(Device* device) {
  if (started() != Status::CUDA_SUCCESS) return started();
  if (current() == nullptr) return Status::CUDA_ERROR_INVALID_CONTEXT;
  *device = 0;
  return Status::CUDA_SUCCESS;
}

/// Assumed: it costs what a context of a program's own costs, is counted, and does not become current.
PINTLE_SIMULATED Status cuDevicePrimaryCtxRetain(Context* context, Device device) {
  if (device != 0) return Status::CUDA_ERROR_INVALID_DEVICE;
  const std::lock_guard lock(primary_mutex);
  if (primary_uses == 0) {
    if (const Status status = cuCtxCreate_v2(&primary, 0, device); status != Status::CUDA_SUCCESS) return status;
    context_stack().pop_back();
  }
  ++primary_uses;
  *context = primary;
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuDevicePrimaryCtxRelease_v2(Device) {
  const std::lock_guard lock(primary_mutex);
  if (primary_uses == 0) return Status::CUDA_ERROR_INVALID_CONTEXT;
  return --primary_uses == 0 ? cuCtxDestroy_v2(primary) : Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuCtxPushCurrent_v2(Context context) {
  if (started() != Status::CUDA_SUCCESS) return started();
  if (context == nullptr) return Status::CUDA_ERROR_INVALID_CONTEXT;
  if (!context->is_alive) return Status::CUDA_ERROR_CONTEXT_IS_DESTROYED;
  context_stack().push_back(context);
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuCtxPopCurrent_v2(Context* context) {
  if (started() != Status::CUDA_SUCCESS) return started();
  if (context_stack().empty()) return Status::CUDA_ERROR_INVALID_CONTEXT;  // line 170
  if (context != nullptr) *context = context_stack().back();
  context_stack().pop_back();
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuMemGetInfo_v2(std::size_t* available, std::size_t* total) {
  const Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  if (current() == nullptr) return Status::CUDA_ERROR_INVALID_CONTEXT;
  *total = memory_bytes;
  *available = memory_bytes - process().used;
  return Status::CUDA_SUCCESS;
}
