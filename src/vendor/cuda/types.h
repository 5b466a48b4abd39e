// The types and numbers of CUDA's driver interface that are used. Those of the toolkit's cuda.h are laid out alike.
#pragma once

#include <array>
#include <cstddef>

namespace pintle::vendor::cuda {

// What handles point to belongs to the driver.
struct ContextObject;
struct ModuleObject;
struct FunctionObject;
struct StreamObject;
struct EventObject;
struct GraphObject;
struct GraphNodeObject;
struct GraphExecObject;
using Context = ContextObject*;      // CUcontext
using Module = ModuleObject*;        // CUmodule
using Function = FunctionObject*;    // CUfunction
using Stream = StreamObject*;        // CUstream
using Event = EventObject*;          // CUevent
using Graph = GraphObject*;          // CUgraph
using GraphNode = GraphNodeObject*;  // CUgraphNode
using GraphExec = GraphExecObject*;  // CUgraphExec

using Device = int;                        // CUdevice
using DevicePointer = unsigned long long;  // CUdeviceptr
using Flags64 = unsigned long long;        // cuuint64_t

struct Uuid {  // CUuuid
  std::array<char, 16> bytes;
};

/// CUresult. The enumerators have the interface's own names.
enum class Status : unsigned {
#define STATUS(name, number, meaning) name = number,
#include "vendor/cuda/statuses.inc"
#undef STATUS
};

/// CUdevice_attribute.
enum class DeviceAttribute : unsigned {
  max_threads_per_block = 1,
  max_block_x = 2,
  max_block_y = 3,
  max_block_z = 4,
  max_grid_x = 5,
  max_grid_y = 6,
  max_grid_z = 7,
  max_shared_per_block = 8,
  warp_size = 10,
  integrated = 18,
  pci_bus = 33,
  pci_device = 34,
  pci_domain = 50,
  compute_capability_major = 75,
  compute_capability_minor = 76,
  max_shared_per_block_opt_in = 97,
  read_only_registration = 113,
};

/// CUfunction_attribute.
enum class FunctionAttribute : unsigned {
  max_threads_per_block = 0,
  shared_bytes = 1,
  max_dynamic_shared_bytes = 8,
};

/// CUpointer_attribute.
enum class PointerAttribute : unsigned { context = 1 };

/// CUjit_option.
enum class JitOption : unsigned {
  error_log = 5,
  error_log_bytes = 6,
};

/// CUdriverProcAddressQueryResult.
enum class ProcAddressQuery : unsigned {
  found = 0,
  not_found = 1,
  version_not_sufficient = 2,
};

// What a node of a graph does. Each has the layout of the driver's own struct.
struct KernelNode {  // CUDA_KERNEL_NODE_PARAMS_v2
  Function function = nullptr;
  std::array<unsigned, 3> grid{};
  std::array<unsigned, 3> block{};
  unsigned shared_bytes = 0;
  void** arguments = nullptr;
  void** extra = nullptr;
  void* kernel = nullptr;
  Context context = nullptr;
};

/// CUmemorytype.
enum class MemoryType : unsigned {
  host = 1,
  device = 2,
};

struct CopySide {
  std::size_t x = 0, y = 0, z = 0, level = 0;
  MemoryType type = MemoryType::device;
  void* host = nullptr;
  DevicePointer device = 0;
  void* array = nullptr;
  void* reserved = nullptr;
  std::size_t pitch = 0, height = 0;
};
struct CopyNode {  // CUDA_MEMCPY3D_v2
  CopySide from, to;
  std::size_t width = 0, height = 1, depth = 1;
};

struct FillNode {  // CUDA_MEMSET_NODE_PARAMS_v1
  DevicePointer to = 0;
  std::size_t pitch = 0;
  unsigned value = 0;
  unsigned element_bytes = 1;
  std::size_t width = 0;  // in elements
  std::size_t height = 1;
};

/// CUgraphExecUpdateResult.
enum class GraphUpdateResult : unsigned {
  success = 0,
  error = 1,
  topology_changed = 2,
  node_type_changed = 3,
  parameters_changed = 5,
};
struct GraphUpdateInfo {  // CUgraphExecUpdateResultInfo_v1
  GraphUpdateResult result = GraphUpdateResult::success;
  GraphNode node = nullptr;
  GraphNode from = nullptr;
};

inline const Stream stream_legacy = reinterpret_cast<Stream>(1);      // CU_STREAM_LEGACY
inline const Stream stream_per_thread = reinterpret_cast<Stream>(2);  // CU_STREAM_PER_THREAD
inline constexpr unsigned context_schedule_auto = 0;                  // CU_CTX_SCHED_AUTO
inline constexpr unsigned stream_non_blocking = 1;                    // CU_STREAM_NON_BLOCKING
inline constexpr unsigned event_default = 0;                          // CU_EVENT_DEFAULT
inline constexpr unsigned event_disable_timing = 2;                   // CU_EVENT_DISABLE_TIMING
inline constexpr unsigned host_memory_portable = 1;                   // CU_MEMHOSTALLOC_PORTABLE
inline constexpr unsigned host_memory_device_mapped = 2;              // CU_MEMHOSTALLOC_DEVICEMAP
inline constexpr unsigned register_portable = 1;                      // CU_MEMHOSTREGISTER_PORTABLE
inline constexpr unsigned register_device_mapped = 2;                 // CU_MEMHOSTREGISTER_DEVICEMAP
inline constexpr unsigned register_read_only = 8;                     // CU_MEMHOSTREGISTER_READ_ONLY

// What `extra` of a launch is made of: CU_LAUNCH_PARAM_*.
inline constexpr std::size_t launch_end = 0;
inline constexpr std::size_t launch_buffer = 1;
inline constexpr std::size_t launch_buffer_size = 2;

// The compiler's.
struct ProgramObject;
using Program = ProgramObject*;  // nvrtcProgram

/// nvrtcResult.
enum class CompilerStatus : unsigned {
  success = 0,
  out_of_memory = 1,
  invalid_input = 3,
  invalid_program = 4,
  invalid_option = 5,
  compilation = 6,
  internal_error = 11,
};

}  // namespace pintle::vendor::cuda
