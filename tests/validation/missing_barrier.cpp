// Does what needs a barrier, without it: a tool that watches Vulkan must report a hazard. With `kept` the barrier is
// there, and nothing may be reported.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kit/forwarding.h"
#include "pintle/must.h"
#include "pintle/native/vulkan.h"
#include "unit/device_over.h"
#include "validation/batches.h"

namespace pintle::vulkan {
std::unique_ptr<backend::Driver> create_driver();
}

namespace pintle::test {
namespace {

/// Takes the barriers that core has set out of every list on its way to the backend.
class Careless final : public kit::Forwarding {
 public:
  explicit Careless(std::unique_ptr<backend::Device> inner) : Forwarding("careless", std::move(inner)) {}

  Result<std::uint64_t> submit(backend::QueueId queue, std::span<const backend::QueuePoint> waits,
                               const backend::Commands& commands) override {
    return Forwarding::submit(queue, waits, without_barriers(commands));
  }
  Result<backend::RecordingId> record(const backend::Commands& commands) override {
    return Forwarding::record(without_barriers(commands));
  }

 private:
  /// Lists stay until the process ends, since a backend may keep them.
  static backend::Commands without_barriers(const backend::Commands& commands) {
    auto& copied = *new std::vector(commands.commands.begin(), commands.commands.end());
    for (backend::Command& command : copied) command.barrier_before = false;
    return {copied, commands.arguments};
  }
};

constexpr auto add_one = R"(
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer From { uint from[]; };
layout(std430, binding = 1) writeonly buffer To { uint to[]; };
void main() { to[gl_GlobalInvocationID.x] = from[gl_GlobalInvocationID.x] + 1; }
)";

/// Three buffers: what is written to the second is read from there.
struct Chain {
  Chain(Device opened, Barrier with)
      : device(std::move(opened)),
        barrier(with),
        queue(must(device.create_queue())),
        a(must(device.allocate(DType::u32, {64}))),
        b(must(device.allocate(DType::u32, {64}))),
        c(must(device.allocate(DType::u32, {64}))) {
    must(queue.submit_and_wait(CommandList{}.fill(a, 1u)));
  }
  [[nodiscard]] CommandList copies() const { return std::move(CommandList{}.copy(b, a).copy(c, b)); }

  Device device;
  Barrier barrier;
  Queue queue;
  Buffer a, b, c;
};

void run_copies(Chain& chain) { must(chain.queue.submit_and_wait(chain.copies())); }

void run_kernels(Chain& chain) {
  const auto pack = must(ProgramPack::source("glsl", add_one, {"main(from: read u32[], to: write u32[]) group 64"}));
  const Kernel kernel = must(chain.device.load(pack, "main"));
  must(chain.queue.submit_and_wait(
      CommandList{}.exec(kernel, Grid{1}, chain.a, chain.b).exec(kernel, Grid{1}, chain.b, chain.c)));
}

void run_replay(Chain& chain) {
  const Recording recording = must(chain.device.record(chain.copies()));
  must(must(chain.queue.replay(recording)).wait());
}

/// The backend begins every batch with a barrier, which nothing takes out; so these are batches of the test's own.
void run_batches(Chain& chain) {
  const auto place = [](const Buffer& buffer) { return must(buffer.native<vulkan::VulkanMemory>()); };
  must(copy_in_batches(must(chain.device.native<vulkan::VulkanDevice>()),
                       {place(chain.a), place(chain.b), place(chain.c)}, chain.barrier));
}

std::unique_ptr<backend::Device> open_backend(std::uint32_t ordinal, Barrier barrier) {
  backend::Driver& driver = *vulkan::create_driver().release();  // its instance outlives the device
  auto opened = must(driver.open(ordinal, {}));
  if (barrier == Barrier::kept) return opened;
  return std::make_unique<Careless>(std::move(opened));
}

int run(std::uint32_t ordinal, std::string_view what, Barrier barrier) {
  const std::map<std::string_view, void (*)(Chain&)> runs{
      {"copies", run_copies}, {"kernels", run_kernels}, {"replay", run_replay}, {"batches", run_batches}};
  const auto found = runs.find(what);
  if (found == runs.end()) return 2;
  Chain chain(device_over("vulkan", open_backend(ordinal, barrier)), barrier);
  found->second(chain);
  return 0;
}

}  // namespace
}  // namespace pintle::test

int main(int count, char** arguments) try {
  using pintle::test::Barrier;
  if (count < 3) return std::puts("usage: missing_barrier ORDINAL copies|kernels|replay|batches [kept]"), 2;
  const bool kept = count > 3 && std::string_view(arguments[3]) == "kept";
  return pintle::test::run(static_cast<std::uint32_t>(std::atoi(arguments[1])), arguments[2],
                           kept ? Barrier::kept : Barrier::missing);
} catch (const pintle::Exception& error) {
  return std::puts(error.what()), 1;
}
