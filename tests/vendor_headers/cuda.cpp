// Every declaration of vendor/cuda beside NVIDIA's headers: most of it is compared when this is compiled. The names
// that the driver exports are looked up in the toolkit's stub of it.
#include <cuda.h>
#include <cudaTypedefs.h>
#include <nvrtc.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <type_traits>

#include "alike.h"
#include "vendor/cuda/types.h"

namespace pintle::vendor::cuda {
namespace {

static_assert(!Signatures<Status(int*), CUresult(int)>::value, "the comparison tells types apart");
static_assert(!Signatures<Status(int*), CUresult(const int*)>::value, "the comparison tells constness apart");

// ---- functions
#define FUNCTION(name, exported, version, ...) \
  static_assert(Signatures<__VA_ARGS__, std::remove_pointer_t<PFN_##name##_v##version>>::value, #name);
#include "vendor/cuda/driver_symbols.inc"
#undef FUNCTION
#define FUNCTION(name, ...) static_assert(Signatures<__VA_ARGS__, decltype(::name)>::value, #name);
#include "vendor/cuda/nvrtc_symbols.inc"
#undef FUNCTION
static_assert(Signatures<Status(const char*, void**, int, Flags64, ProcAddressQuery*),
                         std::remove_pointer_t<PFN_cuGetProcAddress_v12000>>::value);

// ---- numbers
#define STATUS(name, number, meaning) static_assert(of(Status::name) == of(::name));
#include "vendor/cuda/statuses.inc"
#undef STATUS
static_assert(of(DeviceAttribute::max_threads_per_block) == of(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
static_assert(of(DeviceAttribute::max_block_x) == of(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X));
static_assert(of(DeviceAttribute::max_block_y) == of(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y));
static_assert(of(DeviceAttribute::max_block_z) == of(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z));
static_assert(of(DeviceAttribute::max_grid_x) == of(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X));
static_assert(of(DeviceAttribute::max_grid_y) == of(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y));
static_assert(of(DeviceAttribute::max_grid_z) == of(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z));
static_assert(of(DeviceAttribute::max_shared_per_block) == of(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
static_assert(of(DeviceAttribute::warp_size) == of(CU_DEVICE_ATTRIBUTE_WARP_SIZE));
static_assert(of(DeviceAttribute::integrated) == of(CU_DEVICE_ATTRIBUTE_INTEGRATED));
static_assert(of(DeviceAttribute::pci_bus) == of(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID));
static_assert(of(DeviceAttribute::pci_device) == of(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
static_assert(of(DeviceAttribute::pci_domain) == of(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID));
static_assert(of(DeviceAttribute::compute_capability_major) == of(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
static_assert(of(DeviceAttribute::compute_capability_minor) == of(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
static_assert(of(DeviceAttribute::max_shared_per_block_opt_in) ==
              of(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
static_assert(of(DeviceAttribute::read_only_registration) == of(CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED));
static_assert(of(FunctionAttribute::max_threads_per_block) == of(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
static_assert(of(FunctionAttribute::shared_bytes) == of(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
static_assert(of(FunctionAttribute::max_dynamic_shared_bytes) == of(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
static_assert(of(PointerAttribute::context) == of(CU_POINTER_ATTRIBUTE_CONTEXT));
static_assert(of(JitOption::error_log) == of(CU_JIT_ERROR_LOG_BUFFER));
static_assert(of(JitOption::error_log_bytes) == of(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES));
static_assert(of(ProcAddressQuery::found) == of(CU_GET_PROC_ADDRESS_SUCCESS));
static_assert(of(ProcAddressQuery::not_found) == of(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND));
static_assert(of(ProcAddressQuery::version_not_sufficient) == of(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT));
static_assert(context_schedule_auto == of(CU_CTX_SCHED_AUTO));
static_assert(stream_non_blocking == of(CU_STREAM_NON_BLOCKING));
static_assert(event_default == of(CU_EVENT_DEFAULT));
static_assert(event_disable_timing == of(CU_EVENT_DISABLE_TIMING));
static_assert(host_memory_portable == CU_MEMHOSTALLOC_PORTABLE);
static_assert(host_memory_device_mapped == CU_MEMHOSTALLOC_DEVICEMAP);
static_assert(register_portable == CU_MEMHOSTREGISTER_PORTABLE);
static_assert(register_device_mapped == CU_MEMHOSTREGISTER_DEVICEMAP);
static_assert(register_read_only == CU_MEMHOSTREGISTER_READ_ONLY);
static_assert(launch_end == CU_LAUNCH_PARAM_END_AS_INT && launch_buffer == CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT &&
              launch_buffer_size == CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT);
static_assert(of(CompilerStatus::success) == of(NVRTC_SUCCESS));
static_assert(of(CompilerStatus::out_of_memory) == of(NVRTC_ERROR_OUT_OF_MEMORY));
static_assert(of(CompilerStatus::invalid_input) == of(NVRTC_ERROR_INVALID_INPUT));
static_assert(of(CompilerStatus::invalid_program) == of(NVRTC_ERROR_INVALID_PROGRAM));
static_assert(of(CompilerStatus::invalid_option) == of(NVRTC_ERROR_INVALID_OPTION));
static_assert(of(CompilerStatus::compilation) == of(NVRTC_ERROR_COMPILATION));
static_assert(of(CompilerStatus::internal_error) == of(NVRTC_ERROR_INTERNAL_ERROR));

// ---- structs: the place of each member that is set or read
#define PLACE(ours, member, theirs, their_member) \
  static_assert(offsetof(ours, member) == offsetof(theirs, their_member), #their_member)
PLACE(KernelNode, function, CUDA_KERNEL_NODE_PARAMS_v2, func);
PLACE(KernelNode, grid, CUDA_KERNEL_NODE_PARAMS_v2, gridDimX);
PLACE(KernelNode, block, CUDA_KERNEL_NODE_PARAMS_v2, blockDimX);
PLACE(KernelNode, shared_bytes, CUDA_KERNEL_NODE_PARAMS_v2, sharedMemBytes);
PLACE(KernelNode, arguments, CUDA_KERNEL_NODE_PARAMS_v2, kernelParams);
PLACE(KernelNode, extra, CUDA_KERNEL_NODE_PARAMS_v2, extra);
PLACE(KernelNode, kernel, CUDA_KERNEL_NODE_PARAMS_v2, kern);
PLACE(KernelNode, context, CUDA_KERNEL_NODE_PARAMS_v2, ctx);
PLACE(CopyNode, from.x, CUDA_MEMCPY3D_v2, srcXInBytes);
PLACE(CopyNode, from.type, CUDA_MEMCPY3D_v2, srcMemoryType);
PLACE(CopyNode, from.host, CUDA_MEMCPY3D_v2, srcHost);
PLACE(CopyNode, from.device, CUDA_MEMCPY3D_v2, srcDevice);
PLACE(CopyNode, from.array, CUDA_MEMCPY3D_v2, srcArray);
PLACE(CopyNode, from.reserved, CUDA_MEMCPY3D_v2, reserved0);
PLACE(CopyNode, from.pitch, CUDA_MEMCPY3D_v2, srcPitch);
PLACE(CopyNode, from.height, CUDA_MEMCPY3D_v2, srcHeight);
PLACE(CopyNode, to.x, CUDA_MEMCPY3D_v2, dstXInBytes);
PLACE(CopyNode, to.type, CUDA_MEMCPY3D_v2, dstMemoryType);
PLACE(CopyNode, to.host, CUDA_MEMCPY3D_v2, dstHost);
PLACE(CopyNode, to.device, CUDA_MEMCPY3D_v2, dstDevice);
PLACE(CopyNode, to.height, CUDA_MEMCPY3D_v2, dstHeight);
PLACE(CopyNode, width, CUDA_MEMCPY3D_v2, WidthInBytes);
PLACE(CopyNode, height, CUDA_MEMCPY3D_v2, Height);
PLACE(CopyNode, depth, CUDA_MEMCPY3D_v2, Depth);
PLACE(FillNode, to, CUDA_MEMSET_NODE_PARAMS_v1, dst);
PLACE(FillNode, pitch, CUDA_MEMSET_NODE_PARAMS_v1, pitch);
PLACE(FillNode, value, CUDA_MEMSET_NODE_PARAMS_v1, value);
PLACE(FillNode, element_bytes, CUDA_MEMSET_NODE_PARAMS_v1, elementSize);
PLACE(FillNode, width, CUDA_MEMSET_NODE_PARAMS_v1, width);
PLACE(FillNode, height, CUDA_MEMSET_NODE_PARAMS_v1, height);
PLACE(GraphUpdateInfo, result, CUgraphExecUpdateResultInfo_v1, result);
PLACE(GraphUpdateInfo, node, CUgraphExecUpdateResultInfo_v1, errorNode);
PLACE(GraphUpdateInfo, from, CUgraphExecUpdateResultInfo_v1, errorFromNode);
#undef PLACE
static_assert(of(MemoryType::host) == of(CU_MEMORYTYPE_HOST) && of(MemoryType::device) == of(CU_MEMORYTYPE_DEVICE));
static_assert(of(GraphUpdateResult::success) == of(CU_GRAPH_EXEC_UPDATE_SUCCESS));
static_assert(of(GraphUpdateResult::error) == of(CU_GRAPH_EXEC_UPDATE_ERROR));
static_assert(of(GraphUpdateResult::topology_changed) == of(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED));
static_assert(of(GraphUpdateResult::node_type_changed) == of(CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED));
static_assert(of(GraphUpdateResult::parameters_changed) == of(CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED));

constexpr std::array exported{
#define FUNCTION(name, exported, version, ...) #exported,
#include "vendor/cuda/driver_symbols.inc"
#undef FUNCTION
};

}  // namespace
}  // namespace pintle::vendor::cuda

int main(int count, char** arguments) {
  const int missing = count == 2 ? pintle::vendor::missing_in(arguments[1], pintle::vendor::cuda::exported) : 1;
  std::printf("%zu functions of the driver, %d missing in its stub\n", pintle::vendor::cuda::exported.size(), missing);
  return missing == 0 ? 0 : 1;
}
