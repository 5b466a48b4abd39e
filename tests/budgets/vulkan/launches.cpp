// One launch and the wait for it on `vulkan` over the empty driver, and the same calls by hand: instructions.py counts
// their instructions.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "pintle/pintle.h"
#include "vendor/vulkan/instance.h"

namespace budgets {

using namespace pintle;

constexpr int rounds = 250;

/// An entry `main` of one item that returns, and its instructions' names.
// clang-format off
constexpr std::uint32_t code[] = {
    0x07230203, 0x00010300, 0, 6, 0,          // SPIR-V 1.3, ids below 6
    0x00020011, 1,                            // OpCapability Shader
    0x0003000e, 0, 1,                         // OpMemoryModel Logical GLSL450
    0x0005000f, 5, 4, 0x6e69616d, 0,          // OpEntryPoint GLCompute %4 "main"
    0x00060010, 4, 17, 1, 1, 1,               // OpExecutionMode %4 LocalSize 1 1 1
    0x00020013, 2,                            // %2 = OpTypeVoid
    0x00030021, 3, 2,                         // %3 = OpTypeFunction %2
    0x00050036, 2, 4, 0, 3,                   // %4 = OpFunction %2 None %3
    0x000200f8, 5, 0x000100fd, 0x00010038};   // %5 = OpLabel, OpReturn, OpFunctionEnd
// clang-format on

struct Ours {
  enum class Way : std::uint8_t { list, recording };

  explicit Ours(Way given)
      : way(given),
        device(must(open("vulkan:0"))),
        queue(must(device.create_queue())),
        kernel(must(device.load(must(ProgramPack::source("spirv", text, {"main() group 1"})), "main"))),
        recording(must(device.record(CommandList{}.exec(kernel, Grid{1})))) {}

  void prepare() {
    list = CommandList{};
    if (way == Way::list) list.exec(kernel, Grid{1});
  }
  [[gnu::noinline]] void launch();

  static inline const std::string_view text{reinterpret_cast<const char*>(code), sizeof code};
  const Way way;
  Device device;
  Queue queue;
  Kernel kernel;
  Recording recording;
  CommandList list;
};

void Ours::launch() {
  const Point done = way == Way::list ? must(queue.submit(std::move(list))) : must(queue.replay(recording));
  must(done.wait());
}

/// What a program does that has recorded the launch before.
struct ByHand {
  ByHand() {
    const VkPhysicalDevice physical = must(instance->physical_devices()).front();
    const VkDeviceCreateInfo made{};
    if (instance->functions().CreateDevice(physical, &made, nullptr, &device) != VK_SUCCESS) std::abort();
    must(vk.load(instance->functions().GetDeviceProcAddr, device));
    const VkSemaphoreCreateInfo timeline{};
    if (vk.CreateSemaphore(device, &timeline, nullptr, &semaphore) != VK_SUCCESS) std::abort();
  }

  void prepare() {}
  [[gnu::noinline]] void launch();

  std::unique_ptr<vendor::vulkan::Instance> instance = must(vendor::vulkan::Instance::create());
  vendor::vulkan::DeviceFunctions vk;
  VkDevice device = nullptr;
  VkQueue queue = nullptr;
  VkCommandBuffer commands = nullptr;
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::uint64_t value = 0;
};

void ByHand::launch() {
  ++value;
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = &value;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &semaphore;
  std::uint64_t reached = 0;
  if (vk.QueueSubmit(queue, 1, &info, VK_NULL_HANDLE) != VK_SUCCESS) std::abort();
  while (reached < value) {
    if (vk.GetSemaphoreCounterValue(device, semaphore, &reached) != VK_SUCCESS) std::abort();
  }
}

template <class Path>
int run(Path path) {
  for (int i = 0; i < rounds; ++i) {
    path.prepare();
    path.launch();
  }
  return 0;
}

}  // namespace budgets

int main(int count, char** arguments) {
  const std::string_view what = count > 1 ? arguments[1] : "";
  if (what == "hand") return budgets::run(budgets::ByHand());
  return budgets::run(budgets::Ours(what == "list" ? budgets::Ours::Way::list : budgets::Ours::Way::recording));
}
