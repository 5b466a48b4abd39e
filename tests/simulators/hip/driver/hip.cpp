// The functions of HIP over those of the simulated CUDA driver. A thread that has chosen no device has the only one,
// whose context is made at the first call that needs it.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <type_traits>
#include <utility>

#include "code_object_image.h"
#include "driver/state.h"
#include "exports.h"
#include "vendor/hip/types.h"

// Declared after the tables of the backend, so that a definition of another type does not compile.
namespace pintle::vendor::cuda {
extern "C" {
#define FUNCTION(name, exported, version, ...) std::type_identity_t<__VA_ARGS__> exported;
#include "vendor/cuda/driver_symbols.inc"
#undef FUNCTION
Status cuStreamSynchronize(Stream);
}
}  // namespace pintle::vendor::cuda

namespace pintle::vendor::hip {
extern "C" {
#define FUNCTION(name, ...) std::type_identity_t<__VA_ARGS__> name;
#include "vendor/hip/optional_symbols.inc"
#include "vendor/hip/symbols.inc"
#undef FUNCTION
}
}  // namespace pintle::vendor::hip

namespace pintle::vendor::hip {
namespace {

using cuda::Context;
using cuda::CopyNode;
using cuda::CopySide;
using cuda::GraphUpdateInfo;
using cuda::MemoryType;
namespace card = simulator::card;

constexpr std::array<std::pair<DeviceAttribute, int>, 13> attributes{{
    {DeviceAttribute::max_threads_per_block, 1024},
    {DeviceAttribute::max_block_x, 1024},
    {DeviceAttribute::max_block_y, 1024},
    {DeviceAttribute::max_block_z, 64},  // a card has 1024; the simulated driver refuses more
    {DeviceAttribute::max_grid_x, 2147483647},
    {DeviceAttribute::max_grid_y, 65535},
    {DeviceAttribute::max_grid_z, 65535},
    {DeviceAttribute::max_shared_per_block, static_cast<int>(card::default_shared)},
    {DeviceAttribute::warp_size, 64},
    {DeviceAttribute::integrated, 0},
    {DeviceAttribute::pci_bus, 3},
    {DeviceAttribute::pci_device, 0},
    {DeviceAttribute::pci_domain, 0},
}};

/// The device's context, made once.
Status primary(Context& context) {
  static std::mutex mutex;
  static Context made = nullptr;
  const std::lock_guard lock(mutex);
  if (made == nullptr) {
    if (const Status status = cuda::cuCtxCreate_v2(&made, 0, 0); status != Status::CUDA_SUCCESS) return status;
    static_cast<void>(cuda::cuCtxPopCurrent_v2(nullptr));
  }
  context = made;
  return Status::CUDA_SUCCESS;
}

/// HIP begins at any call, and each thread has a device.
Status enter() {
  if (const Status status = cuda::cuInit(0); status != Status::CUDA_SUCCESS) return status;
  if (!simulator::context_stack().empty()) return Status::CUDA_SUCCESS;
  Context context = nullptr;
  if (const Status status = primary(context); status != Status::CUDA_SUCCESS) return status;
  return cuda::cuCtxPushCurrent_v2(context);
}

/// What `call()` answers with the thread's device.
template <class Call>
Status with_device(Call call) {
  const Status status = enter();
  return status == Status::CUDA_SUCCESS ? call() : status;
}

/// A test's setting. All devices have one memory: what is played is which of them a thread has chosen.
int device_count() {
  const char* const given = std::getenv(SIMULATED_SETTING("DEVICES"));
  return given == nullptr ? 1 : std::atoi(given);
}

thread_local Device chosen = 0;

Status is_there(Device device) {
  return device >= 0 && device < device_count() ? Status::CUDA_SUCCESS : Status::CUDA_ERROR_INVALID_DEVICE;
}

CopySide side_of(const void* place, bool is_host) {
  CopySide side;
  side.type = is_host ? MemoryType::host : MemoryType::device;
  side.host = is_host ? const_cast<void*>(place) : nullptr;
  side.device = is_host ? 0 : reinterpret_cast<std::uintptr_t>(place);
  return side;
}

CopyNode node_of(const void* to, const void* from, std::size_t size, CopyKind kind) {
  CopyNode node;
  node.to = side_of(to, kind == CopyKind::device_to_host || kind == CopyKind::host_to_host);
  node.from = side_of(from, kind == CopyKind::host_to_device || kind == CopyKind::host_to_host);
  node.width = size;
  return node;
}

cuda::KernelNode node_of(const KernelNode& node) {
  cuda::KernelNode made;
  made.function = node.function;
  made.grid = node.grid;
  made.block = node.block;
  made.shared_bytes = node.shared_bytes;
  made.arguments = node.arguments;
  made.extra = node.extra;
  return made;
}

cuda::FillNode node_of(const FillNode& node) {
  return {node.to, node.pitch, node.value, node.element_bytes, node.width, node.height};
}

/// As the simulated CUDA driver has an image.
simulator::Image image_of(simulator::CodeImage code) {
  simulator::Image image;
  image.version = 90;
  image.target = code.target;
  for (const simulator::CodeEntry& entry : code.entries) {
    simulator::EntryText& made = image.entries.emplace_back();
    made.name = entry.name;
    made.max_threads = static_cast<int>(entry.max_threads);
    for (const simulator::CodeArgument& argument : entry.arguments) {
      if (!argument.kind.starts_with("hidden_")) made.parameters.push_back({argument.size, argument.alignment});
    }
  }
  image.object = std::move(code.object);
  return image;
}

/// A driver is given no size: the headers of an ELF say where it ends.
std::size_t size_of_elf(const std::byte* code) {
  std::uint64_t sections = 0;
  std::uint16_t section_size = 0, section_count = 0;
  std::memcpy(&sections, code + 40, sizeof sections);
  std::memcpy(&section_size, code + 58, sizeof section_size);
  std::memcpy(&section_count, code + 60, sizeof section_count);
  return sections + std::size_t{section_size} * section_count;
}

/// The processor is the card's, and each mode that the code names is, too.
bool fits(std::string_view target) {
  std::string_view rest = target, own = card::architecture;
  const auto take = [](std::string_view& from) {
    const auto colon = std::min(from.find(':'), from.size());
    const std::string_view word = from.substr(0, colon);
    from.remove_prefix(std::min(colon + 1, from.size()));
    return word;
  };
  if (take(rest) != take(own)) return false;
  while (!rest.empty()) {
    if (own.find(take(rest)) == std::string_view::npos) return false;
  }
  return true;
}

}  // namespace

PINTLE_SIMULATED_HIP Status hipInit(unsigned flags) { return cuda::cuInit(flags); }

/// 6.2.41133.
PINTLE_SIMULATED_HIP Status hipRuntimeGetVersion(int* version) {
  *version = 60241133;
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED_HIP Status hipGetDeviceCount(int* count) {
  *count = device_count();
  return cuda::cuInit(0);
}

PINTLE_SIMULATED_HIP Status hipDeviceGet(Device* device, int ordinal) {
  *device = ordinal;
  return is_there(ordinal);
}

PINTLE_SIMULATED_HIP Status hipDeviceGetName(char* name, int size, Device) {
  std::snprintf(name, static_cast<std::size_t>(size), "%s", card::name);
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED_HIP Status hipDeviceGetUuid(Uuid* uuid, Device) {
  std::memcpy(uuid->bytes.data(), "GPU-pintle-hip-0", uuid->bytes.size());
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED_HIP Status hipDeviceTotalMem(std::size_t* bytes, Device device) {
  return cuda::cuDeviceTotalMem_v2(bytes, device);
}

PINTLE_SIMULATED_HIP Status hipDeviceGetAttribute(int* value, DeviceAttribute wanted, Device device) {
  for (const auto& [attribute, known] : attributes) {
    if (attribute != wanted) continue;
    *value = known;
    return is_there(device);
  }
  return Status::CUDA_ERROR_INVALID_VALUE;
}

/// As in 6: the name first, and the architecture behind what nobody here reads.
PINTLE_SIMULATED_HIP Status hipGetDevicePropertiesR0600(void* properties, int device) {
  auto* const bytes = static_cast<char*>(properties);
  std::snprintf(bytes, 256, "%s", card::name);
  std::snprintf(bytes + 1160, 256, "%s", card::architecture);
  return is_there(device);
}

PINTLE_SIMULATED_HIP Status hipGetDeviceProperties(void* properties, int device) {
  return hipGetDevicePropertiesR0600(properties, device);
}

PINTLE_SIMULATED_HIP Status hipSetDevice(Device device) {
  if (const Status status = is_there(device); status != Status::CUDA_SUCCESS) return status;
  chosen = device;
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED_HIP Status hipGetDevice(Device* device) {
  *device = chosen;
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED_HIP Status hipMemGetInfo(std::size_t* available, std::size_t* total) {
  return with_device([&] { return cuda::cuMemGetInfo_v2(available, total); });
}

PINTLE_SIMULATED_HIP Status hipMalloc(DevicePointer* address, std::size_t size) {
  return with_device([&] { return cuda::cuMemAlloc_v2(address, size); });
}

PINTLE_SIMULATED_HIP Status hipFree(DevicePointer address) { return cuda::cuMemFree_v2(address); }

PINTLE_SIMULATED_HIP Status hipMemGetAddressRange(DevicePointer* base, std::size_t* size, DevicePointer address) {
  return with_device([&] { return cuda::cuMemGetAddressRange_v2(base, size, address); });
}

PINTLE_SIMULATED_HIP Status hipHostMalloc(void** bytes, std::size_t size, unsigned flags) {
  return with_device([&] { return cuda::cuMemHostAlloc(bytes, size, flags); });
}

PINTLE_SIMULATED_HIP Status hipHostFree(void* bytes) { return cuda::cuMemFreeHost(bytes); }

/// As CUDA's, but for the flag of read-only memory, which HIP does not have: its number means another thing.
PINTLE_SIMULATED_HIP Status hipHostRegister(void* bytes, std::size_t size, unsigned flags) {
  if ((flags & cuda::register_read_only) != 0) return Status::CUDA_ERROR_INVALID_VALUE;
  return with_device([&] { return cuda::cuMemHostRegister_v2(bytes, size, flags); });
}

PINTLE_SIMULATED_HIP Status hipHostUnregister(void* bytes) { return cuda::cuMemHostUnregister(bytes); }

PINTLE_SIMULATED_HIP Status hipHostGetDevicePointer(DevicePointer* address, void* bytes, unsigned flags) {
  return cuda::cuMemHostGetDevicePointer_v2(address, bytes, flags);
}

PINTLE_SIMULATED_HIP Status hipMemcpyHtoDAsync(DevicePointer to, const void* from, std::size_t size, Stream stream) {
  return with_device([&] { return cuda::cuMemcpyHtoDAsync_v2(to, from, size, stream); });
}

PINTLE_SIMULATED_HIP Status hipMemcpyDtoHAsync(void* to, DevicePointer from, std::size_t size, Stream stream) {
  return with_device([&] { return cuda::cuMemcpyDtoHAsync_v2(to, from, size, stream); });
}

PINTLE_SIMULATED_HIP Status hipMemcpyDtoDAsync(DevicePointer to, DevicePointer from, std::size_t size, Stream stream) {
  return with_device([&] { return cuda::cuMemcpyDtoDAsync_v2(to, from, size, stream); });
}

PINTLE_SIMULATED_HIP Status hipMemsetD8Async(DevicePointer to, unsigned char value, std::size_t count, Stream stream) {
  return with_device([&] { return cuda::cuMemsetD8Async(to, value, count, stream); });
}

PINTLE_SIMULATED_HIP Status hipMemsetD16Async(DevicePointer to, unsigned short value, std::size_t count,
                                              Stream stream) {
  return with_device([&] { return cuda::cuMemsetD16Async(to, value, count, stream); });
}

PINTLE_SIMULATED_HIP Status hipMemsetD32Async(DevicePointer to, unsigned value, std::size_t count, Stream stream) {
  return with_device([&] { return cuda::cuMemsetD32Async(to, value, count, stream); });
}

PINTLE_SIMULATED_HIP Status hipStreamCreateWithFlags(Stream* stream, unsigned flags) {
  return with_device([&] { return cuda::cuStreamCreate(stream, flags); });
}

/// All streams are of the device that the asking thread has chosen: the simulator has one memory for all.
PINTLE_SIMULATED_HIP Status hipStreamGetDevice(Stream, Device* device) { return hipGetDevice(device); }

PINTLE_SIMULATED_HIP Status hipStreamDestroy(Stream stream) { return cuda::cuStreamDestroy_v2(stream); }

/// For the reference of the benchmarks alone.
PINTLE_SIMULATED_HIP Status hipStreamSynchronize(Stream stream) { return cuda::cuStreamSynchronize(stream); }

PINTLE_SIMULATED_HIP Status hipStreamWaitEvent(Stream stream, Event event, unsigned flags) {
  return cuda::cuStreamWaitEvent(stream, event, flags);
}

PINTLE_SIMULATED_HIP Status hipEventCreateWithFlags(Event* event, unsigned flags) {
  return with_device([&] { return cuda::cuEventCreate(event, flags); });
}

PINTLE_SIMULATED_HIP Status hipEventDestroy(Event event) { return cuda::cuEventDestroy_v2(event); }

PINTLE_SIMULATED_HIP Status hipEventRecord(Event event, Stream stream) { return cuda::cuEventRecord(event, stream); }

PINTLE_SIMULATED_HIP Status hipEventQuery(Event event) { return cuda::cuEventQuery(event); }

PINTLE_SIMULATED_HIP Status hipEventElapsedTime(float* milliseconds, Event begin, Event end) {
  return cuda::cuEventElapsedTime(milliseconds, begin, end);
}

PINTLE_SIMULATED_HIP Status hipGraphCreate(Graph* graph, unsigned flags) { return cuda::cuGraphCreate(graph, flags); }

PINTLE_SIMULATED_HIP Status hipGraphDestroy(Graph graph) { return cuda::cuGraphDestroy(graph); }

PINTLE_SIMULATED_HIP Status hipGraphAddKernelNode(GraphNode* made, Graph graph, const GraphNode* before,
                                                  std::size_t count, const KernelNode* node) {
  const auto own = node_of(*node);
  return with_device([&] { return cuda::cuGraphAddKernelNode_v2(made, graph, before, count, &own); });
}

PINTLE_SIMULATED_HIP Status hipGraphAddMemcpyNode1D(GraphNode* made, Graph graph, const GraphNode* before,
                                                    std::size_t count, void* to, const void* from, std::size_t size,
                                                    CopyKind kind) {
  const auto own = node_of(to, from, size, kind);
  return with_device(
      [&] { return cuda::cuGraphAddMemcpyNode(made, graph, before, count, &own, simulator::current()); });
}

PINTLE_SIMULATED_HIP Status hipGraphAddMemsetNode(GraphNode* made, Graph graph, const GraphNode* before,
                                                  std::size_t count, const FillNode* node) {
  const auto own = node_of(*node);
  return with_device(
      [&] { return cuda::cuGraphAddMemsetNode(made, graph, before, count, &own, simulator::current()); });
}

PINTLE_SIMULATED_HIP Status hipGraphAddEmptyNode(GraphNode* made, Graph graph, const GraphNode* before,
                                                 std::size_t count) {
  return with_device([&] { return cuda::cuGraphAddEmptyNode(made, graph, before, count); });
}

PINTLE_SIMULATED_HIP Status hipGraphKernelNodeSetParams(GraphNode set, const KernelNode* node) {
  const auto own = node_of(*node);
  return with_device([&] { return cuda::cuGraphKernelNodeSetParams_v2(set, &own); });
}

PINTLE_SIMULATED_HIP Status hipGraphMemcpyNodeSetParams1D(GraphNode set, void* to, const void* from, std::size_t size,
                                                          CopyKind kind) {
  const auto own = node_of(to, from, size, kind);
  return with_device([&] { return cuda::cuGraphMemcpyNodeSetParams(set, &own); });
}

PINTLE_SIMULATED_HIP Status hipGraphMemsetNodeSetParams(GraphNode set, const FillNode* node) {
  const auto own = node_of(*node);
  return with_device([&] { return cuda::cuGraphMemsetNodeSetParams(set, &own); });
}

PINTLE_SIMULATED_HIP Status hipGraphInstantiate(GraphExec* made, Graph graph, GraphNode*, char*, std::size_t) {
  return with_device([&] { return cuda::cuGraphInstantiateWithFlags(made, graph, 0); });
}

PINTLE_SIMULATED_HIP Status hipGraphExecKernelNodeSetParams(GraphExec exec, GraphNode set, const KernelNode* node) {
  const auto own = node_of(*node);
  return with_device([&] { return cuda::cuGraphExecKernelNodeSetParams_v2(exec, set, &own); });
}

PINTLE_SIMULATED_HIP Status hipGraphExecMemcpyNodeSetParams1D(GraphExec exec, GraphNode set, void* to, const void* from,
                                                              std::size_t size, CopyKind kind) {
  const auto own = node_of(to, from, size, kind);
  return with_device([&] { return cuda::cuGraphExecMemcpyNodeSetParams(exec, set, &own, simulator::current()); });
}

PINTLE_SIMULATED_HIP Status hipGraphExecMemsetNodeSetParams(GraphExec exec, GraphNode set, const FillNode* node) {
  const auto own = node_of(*node);
  return with_device([&] { return cuda::cuGraphExecMemsetNodeSetParams(exec, set, &own, simulator::current()); });
}

/// Both places have to be there, as in 5.2.3.
PINTLE_SIMULATED_HIP Status hipGraphExecUpdate(GraphExec exec, Graph graph, GraphNode* node,
                                               GraphUpdateResult* result) {
  if (node == nullptr || result == nullptr) return Status::CUDA_ERROR_INVALID_VALUE;
  GraphUpdateInfo info;
  const Status status = with_device([&] { return cuda::cuGraphExecUpdate_v2(exec, graph, &info); });
  *result = info.result;
  return status;
}

PINTLE_SIMULATED_HIP Status hipGraphLaunch(GraphExec exec, Stream stream) {
  return with_device([&] { return cuda::cuGraphLaunch(exec, stream); });
}

PINTLE_SIMULATED_HIP Status hipGraphExecDestroy(GraphExec exec) { return cuda::cuGraphExecDestroy(exec); }

PINTLE_SIMULATED_HIP Status hipModuleLoadData(Module* module, const void* code) {
  return with_device([&] {
    const auto* const bytes = static_cast<const std::byte*>(code);
    if (std::memcmp(bytes, "\177ELF", 4) != 0) return Status::CUDA_ERROR_INVALID_IMAGE;
    auto image = simulator::parse_code_object({bytes, size_of_elf(bytes)});
    if (!image) return Status::CUDA_ERROR_INVALID_IMAGE;
    if (!fits(image->target)) return Status::CUDA_ERROR_NO_BINARY_FOR_GPU;
    simulator::Lock lock(simulator::process().mutex);
    if (const Status status = simulator::gate(lock); status != Status::CUDA_SUCCESS) return status;
    return simulator::load_image(lock, image_of(*std::move(image)), module);
  });
}

PINTLE_SIMULATED_HIP Status hipModuleUnload(Module module) { return cuda::cuModuleUnload(module); }

PINTLE_SIMULATED_HIP Status hipModuleGetFunction(Function* function, Module module, const char* name) {
  return cuda::cuModuleGetFunction(function, module, name);
}

PINTLE_SIMULATED_HIP Status hipFuncGetAttribute(int* value, FunctionAttribute attribute, Function function) {
  return cuda::cuFuncGetAttribute(value, attribute, function);
}

PINTLE_SIMULATED_HIP Status hipModuleLaunchKernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                                  Stream stream, void** arguments, void** extra) {
  if (extra != nullptr) return Status::CUDA_ERROR_NOT_SUPPORTED;  // the backend does not use it
  return with_device([&] {
    return cuda::cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, arguments,
                                nullptr);
  });
}

}  // namespace pintle::vendor::hip
