// The reference in CUDA, and in HIP under CUDA's names: one stream that waits for no other, launches with pointers to
// their arguments, graphs that are launched whole, copies straight from and to the program's memory.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/quote.h"
#include "bench/direct/cuda_api.h"
#include "bench/direct/direct.h"
#include "bench/kernels/turn.h"

namespace pintle::bench {
namespace {

namespace cu = vendor::cuda;

class DirectCuda final : public Direct {
 public:
  DirectCuda(const CudaApi& api, std::string cache) : api_(api), cu_(*api.driver), cache_(std::move(cache)) {}
  ~DirectCuda() override;

  Result<void> open(const Target& target);
  Result<void> record(std::uint32_t launches) override;
  /// A graph of one chain.
  Result<void> record_another_way(std::uint32_t launches) override { return record_graph(launches, Edges::chain); }
  Result<void> record_graph(std::uint32_t launches, Edges edges) override;
  Result<void> record_chains(std::uint32_t chains, std::uint32_t length, std::uint32_t rounds) override;
  Result<void> submit() override;
  Result<void> wait() override { return check(api_.synchronize(stream_), "cuStreamSynchronize"); }
  Result<void> allocate(std::size_t size) override;
  Result<std::span<std::byte>> allocate_pinned(std::size_t size) override;
  Result<void> upload(std::span<const std::byte> from) override;
  Result<void> download(std::span<std::byte> to) override;
  Result<std::vector<std::uint32_t>> turn(std::uint32_t rounds) override;

 private:
  static Result<void> check(cu::Status status, std::string_view call) {
    return check_call(static_cast<int>(status), call);
  }
  bool is_target(cu::Device device, const Target& target) const;
  Result<void> find(const Target& target);
  Result<std::string> code() const;
  Result<cu::Function> kernel(const char* name) const;
  Result<void> launch(cu::Function kernel, std::uint32_t items, void** arguments) const;
  template <class NodeAt>
  Result<void> build(std::uint32_t count, std::uint32_t width, NodeAt node_at);
  void drop_graph();

  const CudaApi api_;
  const cu::Driver& cu_;
  const std::string cache_;
  cu::Device device_ = 0;
  cu::Context context_ = nullptr;
  bool is_current_ = false;
  cu::Stream stream_ = nullptr;
  cu::Module module_ = nullptr;
  cu::Function nothing_ = nullptr;
  std::uint32_t launches_ = 0;
  cu::Graph graph_ = nullptr;
  cu::GraphExec recorded_ = nullptr;
  cu::DevicePointer memory_ = 0;
  void* pinned_ = nullptr;
};

DirectCuda::~DirectCuda() {
  if (stream_ != nullptr) static_cast<void>(api_.synchronize(stream_));
  drop_graph();
  if (memory_ != 0) cu_.cuMemFree(memory_);
  if (pinned_ != nullptr) cu_.cuMemFreeHost(pinned_);
  if (module_ != nullptr) cu_.cuModuleUnload(module_);
  if (stream_ != nullptr) cu_.cuStreamDestroy(stream_);
  cu::Context was = nullptr;
  if (is_current_) cu_.cuCtxPopCurrent(&was);
  if (context_ != nullptr) cu_.cuDevicePrimaryCtxRelease(device_);
}

void DirectCuda::drop_graph() {
  if (recorded_ != nullptr) cu_.cuGraphExecDestroy(std::exchange(recorded_, nullptr));
  if (graph_ != nullptr) cu_.cuGraphDestroy(std::exchange(graph_, nullptr));
}

/// The mark ends in the place on the bus, which tells cards of one name apart.
bool DirectCuda::is_target(cu::Device device, const Target& target) const {
  std::array<char, 256> name{};
  if (cu_.cuDeviceGetName(name.data(), static_cast<int>(name.size()), device) != cu::Status::CUDA_SUCCESS) return false;
  const auto number = [&](cu::DeviceAttribute what) {
    int value = 0;
    static_cast<void>(cu_.cuDeviceGetAttribute(&value, what, device));
    return value;
  };
  const std::string place = fmt::format(", PCI {:04x}:{:02x}:{:02x}.0", number(cu::DeviceAttribute::pci_domain),
                                        number(cu::DeviceAttribute::pci_bus), number(cu::DeviceAttribute::pci_device));
  return target.name == name.data() && target.mark.ends_with(place);
}

Result<void> DirectCuda::find(const Target& target) {
  int count = 0;
  PINTLE_TRY(check(cu_.cuDeviceGetCount(&count), "cuDeviceGetCount"));
  std::size_t before = 0;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    cu::Device device = 0;
    PINTLE_TRY(check(cu_.cuDeviceGet(&device, ordinal), "cuDeviceGet"));
    if (!is_target(device, target) || before++ != target.before) continue;
    device_ = device;
    return {};
  }
  return Error(Errc::not_found, fmt::format("The reference finds no device {} of {} with ({}) before it.",
                                            base::quote(target.name), base::quote(target.mark), target.before));
}

/// The primary context, as CUDA's runtime has it. It stays current, so that no call has to choose it.
Result<void> DirectCuda::open(const Target& target) {
  PINTLE_TRY(check(cu_.cuInit(0), "cuInit"));
  PINTLE_TRY(find(target));
  PINTLE_TRY(check(cu_.cuDevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain"));
  PINTLE_TRY(check(cu_.cuCtxPushCurrent(context_), "cuCtxPushCurrent"));
  is_current_ = true;
  PINTLE_TRY(check(cu_.cuStreamCreate(&stream_, cu::stream_non_blocking), "cuStreamCreate"));
  PINTLE_ASSIGN(image, code());
  return check(cu_.cuModuleLoadDataEx(&module_, image.c_str(), 0, nullptr, nullptr), "cuModuleLoadDataEx");
}

/// From the cache's folder, into which it is written where it is not there.
Result<std::string> DirectCuda::code() const {
  const std::string file = cache_ + "/program.cuda";
  if (!cache_.empty() && std::filesystem::exists(file)) {
    PINTLE_ASSIGN(kept, base::read_file(file));
    return std::string(base::text_in(kept));
  }
  PINTLE_ASSIGN(made, api_.compile(device_));
  if (!cache_.empty()) PINTLE_TRY(base::write_file(file, base::bytes_in(made)));
  return made;
}

Result<cu::Function> DirectCuda::kernel(const char* name) const {
  cu::Function function = nullptr;
  PINTLE_TRY(check(cu_.cuModuleGetFunction(&function, module_, name), "cuModuleGetFunction"));
  return function;
}

/// One group.
Result<void> DirectCuda::launch(cu::Function kernel, std::uint32_t items, void** arguments) const {
  return check(cu_.cuLaunchKernel(kernel, 1, 1, 1, items, 1, 1, 0, stream_, arguments, nullptr), "cuLaunchKernel");
}

Result<void> DirectCuda::record(std::uint32_t launches) {
  drop_graph();
  PINTLE_ASSIGN(function, kernel("bench_nothing"));
  nothing_ = function;
  launches_ = launches;
  return {};
}

/// Each node is behind the one that is `width` before it: one chain, several side by side, or nodes that stand alone.
template <class NodeAt>
Result<void> DirectCuda::build(std::uint32_t count, std::uint32_t width, NodeAt node_at) {
  drop_graph();
  PINTLE_TRY(check(cu_.cuGraphCreate(&graph_, 0), "cuGraphCreate"));
  std::vector<cu::GraphNode> nodes(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const cu::KernelNode node = node_at(i);
    const bool is_first = i < width;
    PINTLE_TRY(check(
        cu_.cuGraphAddKernelNode(&nodes[i], graph_, is_first ? nullptr : &nodes[i - width], is_first ? 0 : 1, &node),
        "cuGraphAddKernelNode"));
  }
  return check(cu_.cuGraphInstantiateWithFlags(&recorded_, graph_, 0), "cuGraphInstantiateWithFlags");
}

Result<void> DirectCuda::record_graph(std::uint32_t launches, Edges edges) {
  PINTLE_ASSIGN(function, kernel("bench_nothing"));
  cu::KernelNode node;
  node.function = function;
  node.grid = node.block = {1, 1, 1};
  return build(launches, edges == Edges::chain ? 1 : launches, [&](std::uint32_t) { return node; });
}

Result<void> DirectCuda::record_chains(std::uint32_t chains, std::uint32_t length, std::uint32_t rounds) {
  PINTLE_ASSIGN(function, kernel("bench_turn"));
  const std::size_t size = turn_group * sizeof(std::uint32_t);
  PINTLE_TRY(allocate(chains * size));
  PINTLE_TRY(check(cu_.cuMemsetD8Async(memory_, 0, chains * size, stream_), "cuMemsetD8Async"));
  cu::DevicePointer values = 0;
  std::array<void*, 2> arguments{&values, &rounds};  // read when the node is added
  cu::KernelNode node;
  node.function = function;
  node.grid = {1, 1, 1};
  node.block = {turn_group, 1, 1};
  node.arguments = arguments.data();
  return build(chains * length, chains, [&](std::uint32_t i) {
    values = memory_ + i % chains * size;
    return node;
  });
}

Result<void> DirectCuda::submit() {
  if (recorded_ != nullptr) return check(cu_.cuGraphLaunch(recorded_, stream_), "cuGraphLaunch");
  for (std::uint32_t i = 0; i < launches_; ++i) PINTLE_TRY(launch(nothing_, 1, nullptr));
  return {};
}

Result<void> DirectCuda::allocate(std::size_t size) {
  if (memory_ != 0) PINTLE_TRY(check(cu_.cuMemFree(std::exchange(memory_, 0)), "cuMemFree"));
  return check(cu_.cuMemAlloc(&memory_, size), "cuMemAlloc");
}

Result<std::span<std::byte>> DirectCuda::allocate_pinned(std::size_t size) {
  if (pinned_ != nullptr) PINTLE_TRY(check(cu_.cuMemFreeHost(std::exchange(pinned_, nullptr)), "cuMemFreeHost"));
  PINTLE_TRY(check(cu_.cuMemHostAlloc(&pinned_, size, 0), "cuMemHostAlloc"));
  return std::span(static_cast<std::byte*>(pinned_), size);
}

Result<void> DirectCuda::upload(std::span<const std::byte> from) {
  PINTLE_TRY(check(cu_.cuMemcpyHtoDAsync(memory_, from.data(), from.size(), stream_), "cuMemcpyHtoDAsync"));
  return wait();
}

Result<void> DirectCuda::download(std::span<std::byte> to) {
  PINTLE_TRY(check(cu_.cuMemcpyDtoHAsync(to.data(), memory_, to.size(), stream_), "cuMemcpyDtoHAsync"));
  return wait();
}

Result<std::vector<std::uint32_t>> DirectCuda::turn(std::uint32_t rounds) {
  PINTLE_ASSIGN(function, kernel("bench_turn"));
  std::vector<std::uint32_t> values(turn_group);
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(values));
  PINTLE_TRY(allocate(bytes.size()));
  PINTLE_TRY(check(cu_.cuMemcpyHtoDAsync(memory_, bytes.data(), bytes.size(), stream_), "cuMemcpyHtoDAsync"));
  std::array<void*, 2> arguments{&memory_, &rounds};
  PINTLE_TRY(launch(function, turn_group, arguments.data()));
  PINTLE_TRY(download(bytes));
  return values;
}

}  // namespace

Result<std::unique_ptr<Direct>> open_direct_cuda(const Target& target, const std::string& cache) {
  PINTLE_ASSIGN(api, target.backend == "hip" ? CudaApi::open_hip() : CudaApi::open_cuda());
  auto direct = std::make_unique<DirectCuda>(api, cache);
  PINTLE_TRY(direct->open(target));
  return std::unique_ptr<Direct>(std::move(direct));
}

}  // namespace pintle::bench
