// The types and numbers of HIP's interface that are used. What CUDA's driver has alike is vendor/cuda's, by its names.
#pragma once

#include <array>
#include <cstddef>

#include "vendor/cuda/types.h"

namespace pintle::vendor::hip {

using cuda::Device;             // hipDevice_t
using cuda::DevicePointer;      // hipDeviceptr_t, a pointer: of one size with this number, and passed as it is
using cuda::Event;              // hipEvent_t
using cuda::Function;           // hipFunction_t
using cuda::FunctionAttribute;  // hipFunction_attribute
using cuda::Graph;              // hipGraph_t
using cuda::GraphExec;          // hipGraphExec_t
using cuda::GraphNode;          // hipGraphNode_t
using cuda::GraphUpdateResult;  // hipGraphExecUpdateResult
using cuda::Module;             // hipModule_t
using cuda::Status;             // hipError_t; status.h has its names
using cuda::Stream;             // hipStream_t
using cuda::Uuid;               // hipUUID

/// hipDeviceAttribute_t. The header counts these; they are the same in 5.2.3, 5.7.1, 6.0.0, 6.2.2 and 7.12.
enum class DeviceAttribute : unsigned {
  integrated = 16,
  max_block_x = 26,
  max_block_y = 27,
  max_block_z = 28,
  max_grid_x = 29,
  max_grid_y = 30,
  max_grid_z = 31,
  max_threads_per_block = 56,
  pci_bus = 67,
  pci_device = 68,
  pci_domain = 69,
  max_shared_per_block = 74,
  warp_size = 87,
};

/// hipMemcpyKind.
enum class CopyKind : unsigned {
  host_to_host = 0,
  host_to_device = 1,
  device_to_host = 2,
  device_to_device = 3,
};

// What a node of a graph does. Each has the layout of the runtime's own struct, the same from 5.2.3 to 7.12.
struct KernelNode {  // hipKernelNodeParams
  std::array<unsigned, 3> block{};
  void** extra = nullptr;
  Function function = nullptr;  // a void* there, which may be a function of the host, too
  std::array<unsigned, 3> grid{};
  void** arguments = nullptr;
  unsigned shared_bytes = 0;
};

struct FillNode {  // hipMemsetParams
  DevicePointer to = 0;
  unsigned element_bytes = 1;
  std::size_t height = 1;
  std::size_t pitch = 0;
  unsigned value = 0;
  std::size_t width = 0;  // in elements
};

// The compiler's.
using cuda::CompilerStatus;  // hiprtcResult
using cuda::Program;         // hiprtcProgram
using cuda::ProgramObject;

}  // namespace pintle::vendor::hip
