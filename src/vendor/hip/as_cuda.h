// HIP's functions under the names of CUDA's, so that one source calls both.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "base/opened_once.h"
#include "pintle/error.h"
#include "vendor/cuda/driver.h"
#include "vendor/hip/runtime.h"

namespace pintle::vendor::hip {

/// The runtime of this process, opened at first use and never closed.
[[nodiscard]] inline const Result<Runtime>& runtime() noexcept { return base::opened_once<Runtime>(); }

/// What the thread had chosen before each call that is on its way.
struct Chosen {
  std::array<Device, 16> before{};
  std::size_t depth = 0;
};
inline thread_local Chosen chosen;

struct AttributeNames {
  cuda::DeviceAttribute of_cuda;
  DeviceAttribute own;
};
inline constexpr std::array attributes{
#define ROW(name) \
  AttributeNames { cuda::DeviceAttribute::name, DeviceAttribute::name }
    ROW(max_threads_per_block),
    ROW(max_block_x),
    ROW(max_block_y),
    ROW(max_block_z),
    ROW(max_grid_x),
    ROW(max_grid_y),
    ROW(max_grid_z),
    ROW(max_shared_per_block),
    ROW(warp_size),
    ROW(integrated),
    ROW(pci_bus),
    ROW(pci_device),
    ROW(pci_domain)
#undef ROW
};

/// The functions that HIP has in another form.
class CudaCalls {
  using Context = cuda::Context;
  using CopyNode = cuda::CopyNode;
  using CopySide = cuda::CopySide;
  using Flags64 = cuda::Flags64;
  using GraphUpdateInfo = cuda::GraphUpdateInfo;
  using JitOption = cuda::JitOption;
  using MemoryType = cuda::MemoryType;

 public:
  static const Runtime& hip() noexcept { return *runtime(); }

  // ---- contexts: HIP has one for each device, and a thread has chosen one of the devices.

  /// A handle that is not null.
  static Context context_of(Device device) noexcept {
    return reinterpret_cast<Context>(static_cast<std::uintptr_t>(device) + 1);
  }
  static Device device_of(Context context) noexcept {
    return static_cast<Device>(reinterpret_cast<std::uintptr_t>(context) - 1);
  }

  static Status push(Context context) {
    if (chosen.depth == chosen.before.size()) return Status::CUDA_ERROR_INVALID_VALUE;
    Device before = 0;
    if (const Status status = hip().hipGetDevice(&before); status != Status::CUDA_SUCCESS) return status;
    const Device wanted = device_of(context);
    if (before != wanted) {
      if (const Status status = hip().hipSetDevice(wanted); status != Status::CUDA_SUCCESS) return status;
    }
    chosen.before[chosen.depth++] = before;
    return Status::CUDA_SUCCESS;
  }

  static Status pop(Context* context) {
    if (chosen.depth == 0) return Status::CUDA_ERROR_INVALID_CONTEXT;
    Device now = 0;
    const Device before = chosen.before[--chosen.depth];
    if (const Status status = hip().hipGetDevice(&now); status != Status::CUDA_SUCCESS) return status;
    *context = context_of(now);
    return now == before ? Status::CUDA_SUCCESS : hip().hipSetDevice(before);
  }

  /// Current, as CUDA's is.
  static Status create_context(Context* context, unsigned, Device device) {
    *context = context_of(device);
    return push(*context);
  }

  static Status destroy_context(Context) { return Status::CUDA_SUCCESS; }

  static Status retain_context(Context* context, Device device) {
    *context = context_of(device);
    return Status::CUDA_SUCCESS;
  }

  static Status release_context(Device) { return Status::CUDA_SUCCESS; }

  /// An old runtime does not say it, and gives a stream the device that its maker had chosen.
  static Status context_of_stream(Stream stream, Context* context) {
    Device device = 0;
    const auto ask = hip().hipStreamGetDevice;
    const Status status = ask == nullptr ? hip().hipGetDevice(&device) : ask(stream, &device);
    *context = context_of(device);
    return status;
  }

  /// The context: memory of HIP has none, so that it is of the one that asks.
  static Status attribute_of_pointer(void* value, cuda::PointerAttribute, DevicePointer) {
    Device device = 0;
    const Status status = hip().hipGetDevice(&device);
    *static_cast<Context*>(value) = context_of(device);
    return status;
  }

  // ---- devices

  static Status attribute(int* value, cuda::DeviceAttribute wanted, Device device) {
    const auto* const row = std::ranges::find(attributes, wanted, &AttributeNames::of_cuda);
    if (row == attributes.end()) return Status::CUDA_ERROR_INVALID_VALUE;
    return hip().hipDeviceGetAttribute(value, row->own, device);
  }

  static Status uuid_of(Uuid* uuid, Device device) {
    const auto ask = hip().hipDeviceGetUuid;
    return ask == nullptr ? Status::CUDA_ERROR_NOT_SUPPORTED : ask(uuid, device);
  }

  // ---- modules: HIP's loader takes no options, and keeps no log.

  static Status load(Module* module, const void* code, unsigned, JitOption*, void**) {
    return hip().hipModuleLoadData(module, code);
  }

  // ---- graphs: nodes of HIP's are laid out in another way, and its copies have a direction.

  static KernelNode node_of(const cuda::KernelNode& node) noexcept {
    KernelNode made;
    made.block = node.block;
    made.function = node.function;
    made.grid = node.grid;
    made.arguments = node.arguments;
    made.shared_bytes = node.shared_bytes;
    return made;
  }

  static FillNode node_of(const cuda::FillNode& node) noexcept {
    FillNode made;
    made.to = node.to;
    made.element_bytes = node.element_bytes;
    made.height = node.height;
    made.pitch = node.pitch;
    made.value = node.value;
    made.width = node.width;
    return made;
  }

  static void* place_of(const CopySide& side) noexcept {
    return side.type == MemoryType::host ? side.host
                                         : reinterpret_cast<void*>(static_cast<std::uintptr_t>(side.device));
  }

  static CopyKind kind_of(const CopyNode& node) noexcept {
    if (node.from.type == MemoryType::host) return CopyKind::host_to_device;
    return node.to.type == MemoryType::host ? CopyKind::device_to_host : CopyKind::device_to_device;
  }

  static Status add_kernel(GraphNode* made, Graph graph, const GraphNode* before, std::size_t count,
                           const cuda::KernelNode* node) {
    const auto own = node_of(*node);
    return hip().hipGraphAddKernelNode(made, graph, before, count, &own);
  }

  static Status add_copy(GraphNode* made, Graph graph, const GraphNode* before, std::size_t count, const CopyNode* node,
                         Context) {
    return hip().hipGraphAddMemcpyNode1D(made, graph, before, count, place_of(node->to), place_of(node->from),
                                         node->width, kind_of(*node));
  }

  static Status add_fill(GraphNode* made, Graph graph, const GraphNode* before, std::size_t count,
                         const cuda::FillNode* node, Context) {
    const auto own = node_of(*node);
    return hip().hipGraphAddMemsetNode(made, graph, before, count, &own);
  }

  static Status set_kernel(GraphNode set, const cuda::KernelNode* node) {
    const auto own = node_of(*node);
    return hip().hipGraphKernelNodeSetParams(set, &own);
  }

  static Status set_copy(GraphNode set, const CopyNode* node) {
    return hip().hipGraphMemcpyNodeSetParams1D(set, place_of(node->to), place_of(node->from), node->width,
                                               kind_of(*node));
  }

  static Status set_fill(GraphNode set, const cuda::FillNode* node) {
    const auto own = node_of(*node);
    return hip().hipGraphMemsetNodeSetParams(set, &own);
  }

  static Status instantiate(GraphExec* made, Graph graph, Flags64) {
    return hip().hipGraphInstantiate(made, graph, nullptr, nullptr, 0);
  }

  static Status set_launched_kernel(GraphExec exec, GraphNode set, const cuda::KernelNode* node) {
    const auto own = node_of(*node);
    return hip().hipGraphExecKernelNodeSetParams(exec, set, &own);
  }

  static Status set_launched_copy(GraphExec exec, GraphNode set, const CopyNode* node, Context) {
    return hip().hipGraphExecMemcpyNodeSetParams1D(exec, set, place_of(node->to), place_of(node->from), node->width,
                                                   kind_of(*node));
  }

  static Status set_launched_fill(GraphExec exec, GraphNode set, const cuda::FillNode* node, Context) {
    const auto own = node_of(*node);
    return hip().hipGraphExecMemsetNodeSetParams(exec, set, &own);
  }

  static Status update(GraphExec exec, Graph graph, GraphUpdateInfo* info) {
    return hip().hipGraphExecUpdate(exec, graph, &info->node, &info->result);
  }
};

/// The table of CUDA's driver, filled from HIP's runtime: what both have alike is HIP's own function, and what differs
/// calls it. A context is the device that the thread has chosen. HIP has no counterpart of cuFuncGetParamInfo, and
/// needs none of cuFuncSetAttribute: a group has all of its memory without asking.
[[nodiscard]] inline cuda::Driver as_cuda(const Runtime& hip) {
  cuda::Driver table;
#define SAME(name, own) table.name = hip.own;
#define OWN(name, own, function) table.name = &CudaCalls::function;
#include "vendor/hip/cuda_names.inc"
#undef SAME
#undef OWN
  return table;
}

/// "hipMalloc" for "cuMemAlloc"; the given name where it is none of the table's.
[[nodiscard]] inline std::string_view own_name_of(std::string_view call) noexcept {
  struct Row {
    std::string_view cuda, own;
  };
  static constexpr Row rows[] = {
#define SAME(name, own) {#name, #own},
#define OWN(name, own, function) {#name, #own},
#include "vendor/hip/cuda_names.inc"
#undef SAME
#undef OWN
  };
  const auto* const row = std::ranges::find(rows, call, &Row::cuda);
  return row == std::ranges::end(rows) ? call : row->own;
}

}  // namespace pintle::vendor::hip
