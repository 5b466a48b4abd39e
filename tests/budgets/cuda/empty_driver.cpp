// A libcuda.so.1 whose calls do nothing and succeed, so that what is counted above it is Pintle's own work.
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "vendor/cuda/types.h"

using namespace pintle::vendor::cuda;

namespace {

constexpr int sides = 1024;
constexpr std::size_t memory_bytes = std::size_t{16} << 30;

/// What a call answers that nothing is asked of.
template <class Signature>
struct Nothing;
template <class... Arguments>
struct Nothing<Status(Arguments...)> {
  static Status call(Arguments...) { return Status::CUDA_SUCCESS; }
};

/// A call whose first argument gets a handle that is not null.
template <class Signature>
struct Made;
template <class Handle, class... Arguments>
struct Made<Status(Handle**, Arguments...)> {
  static Status call(Handle** made, Arguments...) {
    static char object;
    *made = reinterpret_cast<Handle*>(&object);
    return Status::CUDA_SUCCESS;
  }
};

Status one_device(int* count) {
  *count = 1;
  return Status::CUDA_SUCCESS;
}

Status version(int* number) {
  *number = 13000;
  return Status::CUDA_SUCCESS;
}

Status device_name(char* text, int size, Device) {
  std::strncpy(text, "An empty driver (simulated)", static_cast<std::size_t>(size));
  return Status::CUDA_SUCCESS;
}

Status total(std::size_t* bytes, Device) {
  *bytes = memory_bytes;
  return Status::CUDA_SUCCESS;
}

Status memory_info(std::size_t* available, std::size_t* whole) {
  *available = *whole = memory_bytes;
  return Status::CUDA_SUCCESS;
}

Status attribute(int* value, DeviceAttribute wanted, Device) {
  *value = wanted == DeviceAttribute::warp_size ? 32 : wanted == DeviceAttribute::compute_capability_major ? 9 : sides;
  return Status::CUDA_SUCCESS;
}

/// Addresses that nobody reads.
Status allocate(DevicePointer* address, std::size_t size) {
  static DevicePointer next = std::size_t{1} << 32;
  *address = next;
  next += (size + 511) / 512 * 512;
  return Status::CUDA_SUCCESS;
}

Status allocate_pinned(void** bytes, std::size_t size, unsigned) {
  *bytes = std::aligned_alloc(4096, (size + 4095) / 4096 * 4096);
  return Status::CUDA_SUCCESS;
}

Status address_of_pinned(DevicePointer* address, void* bytes, unsigned) {
  *address = reinterpret_cast<std::size_t>(bytes);
  return Status::CUDA_SUCCESS;
}

Status function_attribute(int* value, FunctionAttribute wanted, Function) {
  *value = wanted == FunctionAttribute::max_threads_per_block ? sides : 0;
  return Status::CUDA_SUCCESS;
}

/// The parameters of `add_one(x: read_write u32[], n: u32)`.
Status parameter(Function, std::size_t index, std::size_t* offset, std::size_t* size) {
  if (index > 1) return Status::CUDA_ERROR_INVALID_VALUE;
  *offset = index * 8;
  *size = index == 0 ? 8 : 4;
  return Status::CUDA_SUCCESS;
}

struct Row {
  std::string_view name;
  void* address;
};

template <class Call>
void* address(Call* call) {
  return reinterpret_cast<void*>(call);
}

void* own_of(std::string_view name) {
  static const Row rows[] = {
      {"cuDeviceGetCount", address(one_device)},
      {"cuDriverGetVersion", address(version)},
      {"cuDeviceGetName", address(device_name)},
      {"cuDeviceTotalMem", address(total)},
      {"cuMemGetInfo", address(memory_info)},
      {"cuDeviceGetAttribute", address(attribute)},
      {"cuMemAlloc", address(allocate)},
      {"cuMemHostAlloc", address(allocate_pinned)},
      {"cuMemHostGetDevicePointer", address(address_of_pinned)},
      {"cuFuncGetAttribute", address(function_attribute)},
      {"cuFuncGetParamInfo", address(parameter)},
      {"cuCtxCreate", address(Made<Status(Context*, unsigned, Device)>::call)},
      {"cuCtxPopCurrent", address(Made<Status(Context*)>::call)},
      {"cuStreamCreate", address(Made<Status(Stream*, unsigned)>::call)},
      {"cuEventCreate", address(Made<Status(Event*, unsigned)>::call)},
      {"cuModuleLoadDataEx", address(Made<Status(Module*, const void*, unsigned, JitOption*, void**)>::call)},
      {"cuModuleGetFunction", address(Made<Status(Function*, Module, const char*)>::call)}};
  for (const Row& row : rows) {
    if (row.name == name) return row.address;
  }
  return nullptr;
}

void* of(std::string_view name) {
  if (void* const own = own_of(name)) return own;
#define FUNCTION(called, exported, since, ...) \
  if (name == #called) return address(Nothing<__VA_ARGS__>::call);
#include "vendor/cuda/driver_symbols.inc"
#undef FUNCTION
  return nullptr;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] Status cuGetProcAddress_v2(const char* name, void** place, int, Flags64,
                                                                     ProcAddressQuery* query) {
  *place = of(name);
  *query = *place == nullptr ? ProcAddressQuery::not_found : ProcAddressQuery::found;
  return *place == nullptr ? Status::CUDA_ERROR_NOT_FOUND : Status::CUDA_SUCCESS;
}
