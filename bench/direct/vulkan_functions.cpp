#include "bench/direct/vulkan_functions.h"

#include <fmt/format.h>

#include "bench/direct/direct.h"

namespace pintle::bench {
namespace {

template <class Function>
Result<void> take(Function& function, PFN_vkVoidFunction found, std::string_view name) {
  if (found == nullptr) return Error(Errc::not_found, fmt::format("Vulkan has no function (vk{}).", name));
  function = reinterpret_cast<Function>(found);
  return {};
}

Result<const VulkanInstance*> create() {
  PINTLE_ASSIGN(loader, base::Dylib::open("libvulkan.so.1"));
  auto& vk = *new VulkanInstance{.loader = std::move(loader)};
  PINTLE_ASSIGN(entry, vk.loader.symbol("vkGetInstanceProcAddr"));
  vk.GetInstanceProcAddr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(entry);
  PFN_vkCreateInstance create_instance = nullptr;
  PINTLE_TRY(take(create_instance, vk.GetInstanceProcAddr(nullptr, "vkCreateInstance"), "CreateInstance"));
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  PINTLE_TRY(check_call(create_instance(&info, nullptr, &vk.handle), "vkCreateInstance"));
#define BENCH_LOAD(name) PINTLE_TRY(take(vk.name, vk.GetInstanceProcAddr(vk.handle, "vk" #name), #name));
  BENCH_INSTANCE_FUNCTIONS(BENCH_LOAD)
#undef BENCH_LOAD
  return &vk;
}

}  // namespace

Result<const VulkanInstance*> VulkanInstance::open() {
  static const auto& opened = *new Result<const VulkanInstance*>(create());
  return opened;
}

Result<void> VulkanFunctions::load(PFN_vkGetDeviceProcAddr find, VkDevice device) {
#define BENCH_LOAD(name) PINTLE_TRY(take(this->name, find(device, "vk" #name), #name));
  BENCH_DEVICE_FUNCTIONS(BENCH_LOAD)
#undef BENCH_LOAD
  return {};
}

}  // namespace pintle::bench
