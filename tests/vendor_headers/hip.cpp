// Every declaration of vendor/hip beside AMD's headers: most of it is compared when this is compiled. Where the
// libraries are installed, the names are looked up in them, and the runtime is asked for the name of each status. No
// GPU is needed.

// Before AMD's headers: since 6 they have hipGetDeviceProperties as a macro.
#include "vendor/hip/runtime.h"

// The functions alone, without C++ overloads of them.
#define __HIP_DISABLE_CPP_FUNCTIONS__
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <type_traits>

#include "alike.h"
#include "vendor/hip/status.h"

namespace pintle::vendor {

// hipDeviceptr_t is a pointer; cuda's is a number of its size.
static_assert(sizeof(cuda::DevicePointer) == sizeof(hipDeviceptr_t));
template <>
inline constexpr bool is_passed_as<cuda::DevicePointer, void*> = true;
// A function of a module is a void* in a node of a graph, beside functions of the host.
static_assert(sizeof(cuda::Function) == sizeof(void*));
// What is only read is const in our declarations, and in HIP's for some since 7.
template <>
inline constexpr bool is_passed_as<const void*, void*> = true;
template <>
inline constexpr bool is_passed_as<const char* const*, const char**> = true;
// The struct of properties is bytes here.
template <>
inline constexpr bool is_passed_as<void*, hipDeviceProp_t*> = true;

namespace hip {
namespace {

static_assert(!Signatures<Status(int*), hipError_t(int)>::value, "the comparison tells types apart");
static_assert(!Signatures<Status(int*), hipError_t(const int*)>::value, "the comparison tells constness apart");
static_assert(!Signatures<Status(cuda::Flags64*), hipError_t(void*)>::value, "the comparison tells addresses apart");

// ---- functions
#define FUNCTION(name, ...) static_assert(Signatures<__VA_ARGS__, decltype(::name)>::value, #name);
#include "vendor/hip/hiprtc_symbols.inc"
#include "vendor/hip/symbols.inc"
#undef FUNCTION
// Headers before 6 lack the name with R0600; since 6 the other stands for it.
template <class Pointer>
using Pointee = std::remove_pointer_t<Pointer>;
static_assert(Signatures<Pointee<decltype(Runtime::hipDeviceGetUuid)>, decltype(::hipDeviceGetUuid)>::value);
static_assert(
    Signatures<Pointee<decltype(Runtime::hipGetDeviceProperties)>, decltype(::hipGetDeviceProperties)>::value);

// ---- numbers
#define NUMBER(ours, theirs) static_assert(of(ours) == of(theirs), #theirs)
NUMBER(DeviceAttribute::max_threads_per_block, hipDeviceAttributeMaxThreadsPerBlock);
NUMBER(DeviceAttribute::max_block_x, hipDeviceAttributeMaxBlockDimX);
NUMBER(DeviceAttribute::max_block_y, hipDeviceAttributeMaxBlockDimY);
NUMBER(DeviceAttribute::max_block_z, hipDeviceAttributeMaxBlockDimZ);
NUMBER(DeviceAttribute::max_grid_x, hipDeviceAttributeMaxGridDimX);
NUMBER(DeviceAttribute::max_grid_y, hipDeviceAttributeMaxGridDimY);
NUMBER(DeviceAttribute::max_grid_z, hipDeviceAttributeMaxGridDimZ);
NUMBER(DeviceAttribute::max_shared_per_block, hipDeviceAttributeMaxSharedMemoryPerBlock);
NUMBER(DeviceAttribute::warp_size, hipDeviceAttributeWarpSize);
NUMBER(DeviceAttribute::integrated, hipDeviceAttributeIntegrated);
NUMBER(DeviceAttribute::pci_bus, hipDeviceAttributePciBusId);
NUMBER(DeviceAttribute::pci_device, hipDeviceAttributePciDeviceId);
NUMBER(DeviceAttribute::pci_domain, hipDeviceAttributePciDomainID);
NUMBER(FunctionAttribute::max_threads_per_block, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
NUMBER(FunctionAttribute::shared_bytes, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
NUMBER(FunctionAttribute::max_dynamic_shared_bytes, HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
NUMBER(CopyKind::host_to_host, hipMemcpyHostToHost);
NUMBER(CopyKind::host_to_device, hipMemcpyHostToDevice);
NUMBER(CopyKind::device_to_host, hipMemcpyDeviceToHost);
NUMBER(CopyKind::device_to_device, hipMemcpyDeviceToDevice);
NUMBER(GraphUpdateResult::success, hipGraphExecUpdateSuccess);
NUMBER(GraphUpdateResult::error, hipGraphExecUpdateError);
NUMBER(GraphUpdateResult::topology_changed, hipGraphExecUpdateErrorTopologyChanged);
NUMBER(GraphUpdateResult::node_type_changed, hipGraphExecUpdateErrorNodeTypeChanged);
NUMBER(GraphUpdateResult::parameters_changed, hipGraphExecUpdateErrorParametersChanged);
// Flags are given as CUDA's.
NUMBER(cuda::stream_non_blocking, hipStreamNonBlocking);
NUMBER(cuda::event_default, hipEventDefault);
NUMBER(cuda::event_disable_timing, hipEventDisableTiming);
NUMBER(cuda::host_memory_portable, hipHostMallocPortable);
NUMBER(cuda::host_memory_device_mapped, hipHostMallocMapped);
// The number of cuda's flag for read-only memory means another thing to HIP: it is never given.
NUMBER(cuda::register_portable, hipHostRegisterPortable);
NUMBER(cuda::register_device_mapped, hipHostRegisterMapped);
NUMBER(CompilerStatus::success, HIPRTC_SUCCESS);
NUMBER(CompilerStatus::out_of_memory, HIPRTC_ERROR_OUT_OF_MEMORY);
NUMBER(CompilerStatus::invalid_input, HIPRTC_ERROR_INVALID_INPUT);
NUMBER(CompilerStatus::invalid_program, HIPRTC_ERROR_INVALID_PROGRAM);
NUMBER(CompilerStatus::invalid_option, HIPRTC_ERROR_INVALID_OPTION);
NUMBER(CompilerStatus::compilation, HIPRTC_ERROR_COMPILATION);
NUMBER(CompilerStatus::internal_error, HIPRTC_ERROR_INTERNAL_ERROR);
#undef NUMBER

// ---- structs: their sizes, and the place of each member
#define PLACE(ours, member, theirs, their_member)                                                           \
  static_assert(offsetof(ours, member) == offsetof(theirs, their_member) && sizeof(ours) == sizeof(theirs), \
                #their_member);                                                                             \
  static_assert(sizeof(ours::member) == sizeof(theirs::their_member), #their_member)
PLACE(KernelNode, block, hipKernelNodeParams, blockDim);
PLACE(KernelNode, extra, hipKernelNodeParams, extra);
PLACE(KernelNode, function, hipKernelNodeParams, func);
PLACE(KernelNode, grid, hipKernelNodeParams, gridDim);
PLACE(KernelNode, arguments, hipKernelNodeParams, kernelParams);
PLACE(KernelNode, shared_bytes, hipKernelNodeParams, sharedMemBytes);
PLACE(FillNode, to, hipMemsetParams, dst);
PLACE(FillNode, element_bytes, hipMemsetParams, elementSize);
PLACE(FillNode, height, hipMemsetParams, height);
PLACE(FillNode, pitch, hipMemsetParams, pitch);
PLACE(FillNode, value, hipMemsetParams, value);
PLACE(FillNode, width, hipMemsetParams, width);
#undef PLACE

constexpr std::array runtime_functions{
#define FUNCTION(name, ...) #name,
#include "vendor/hip/symbols.inc"
#undef FUNCTION
};
constexpr std::array compiler_functions{
#define FUNCTION(name, ...) #name,
#include "vendor/hip/hiprtc_symbols.inc"
#undef FUNCTION
};

/// How many statuses the runtime calls otherwise than the table does. A header older than a row does not have its name,
/// and the runtime neither: there the row is not compared.
int misnamed_by(const char* path) {
  void* const library = ::dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  void* const found = library != nullptr ? ::dlsym(library, "hipGetErrorName") : nullptr;
  if (found == nullptr) return 1;
  const auto name_of = reinterpret_cast<const char* (*)(hipError_t)>(found);
  int misnamed = 0, unknown = 0;
  for (unsigned number = 0; number < 1100; ++number) {
    const std::string_view ours = hip::row_of(Status(number)).symbol;
    const std::string_view theirs = name_of(static_cast<hipError_t>(number));
    if (ours == theirs) continue;
    if (theirs == "hipErrorUnknown" || theirs == "hipErrorTbd") ++unknown;
    else ++misnamed, std::printf("%u is %s, not %s\n", number, theirs.data(), ours.data());
  }
  std::printf("%zu statuses, %d unknown to the runtime, %d misnamed\n", status_rows.size(), unknown, misnamed);
  return misnamed;
}

}  // namespace
}  // namespace hip
}  // namespace pintle::vendor

/// hip [the runtime, the library that has the compiler]
int main(int count, char** arguments) {
  using namespace pintle::vendor;
  int failures = 0;
  std::printf("the headers are of HIP %d.%d\n", HIP_VERSION_MAJOR, HIP_VERSION_MINOR);
  if (count == 3) {
    failures += missing_in(arguments[1], hip::runtime_functions) + missing_in(arguments[2], hip::compiler_functions);
    failures += hip::misnamed_by(arguments[1]);
  }
  return failures == 0 ? 0 : 1;
}
