// The layer as Vulkan's loader sees it, and which habits are on. All devices of a process are one driver's, whose
// functions are looked up once.
#include <vulkan/vk_layer.h>

#include <array>
#include <mutex>

#include "habit.h"

namespace pintle::hostile {
namespace {

struct Habit {
  std::string_view name;
  Install install;
  bool is_usual = true;  // on where none is named
};

/// From the driver up: a habit calls those before it.
constexpr std::array habits{
    Habit{"second_family", &install_second_family},
    Habit{"discrete_memory", &install_discrete_memory},
    Habit{"incoherent_memory", &install_incoherent_memory, false},
    Habit{"refused_imports", &install_refused_imports},
    Habit{"late_submissions", &install_late_submissions},
    Habit{"dead_device", &install_dead_device},
    Habit{"lost_submission", &install_lost_submission, false},
    Habit{"nonsense", &install_nonsense, false},
};

std::mutex mutex;
Functions driver;  // what is below
Functions table;   // with the habits
VkInstance instance = nullptr;
PFN_vkGetInstanceProcAddr next_instance_function = nullptr;
PFN_vkGetDeviceProcAddr next_device_function = nullptr;

void stand_up() {
  Functions made = driver;
  install_device_name(made);
  for (const Habit& habit : habits) {
    if (is_on(habit.name, habit.is_usual)) habit.install(made);
  }
  install_queues(made);  // over the habit that has a queue of its own
  install_forks(made);
  table = made;
}

/// The loader's note for a layer that makes an instance or a device.
template <class Note, class Info>
Note* note_in(const Info* info, VkStructureType type) {
  for (auto* each = reinterpret_cast<Note*>(const_cast<void*>(info->pNext)); each != nullptr;
       each = reinterpret_cast<Note*>(const_cast<void*>(each->pNext))) {
    if (each->sType == type && each->function == VK_LAYER_LINK_INFO) return each;
  }
  return nullptr;
}

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* memory,
                                               VkInstance* made) {
  auto* const note = note_in<VkLayerInstanceCreateInfo>(info, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  if (note == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const auto get = note->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  note->u.pLayerInfo = note->u.pLayerInfo->pNext;
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(get(nullptr, "vkCreateInstance"));
  const VkResult created = create(info, memory, made);
  if (created != VK_SUCCESS) return created;
  const std::lock_guard lock(mutex);
  next_instance_function = get;
  instance = *made;
  driver.load_instance(get, *made);
  stand_up();
  return created;
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                             const VkAllocationCallbacks* memory, VkDevice* made) {
  auto* const note = note_in<VkLayerDeviceCreateInfo>(info, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  if (note == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const auto get = note->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  const auto get_of_device = note->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  note->u.pLayerInfo = note->u.pLayerInfo->pNext;
  PFN_vkCreateDevice create = nullptr;
  {
    const std::lock_guard lock(mutex);
    const Functions before = driver;
    driver.CreateDevice = reinterpret_cast<PFN_vkCreateDevice>(get(instance, "vkCreateDevice"));
    if (driver != before) stand_up();
    create = table.CreateDevice;
  }
  const VkResult created = create(physical, info, memory, made);
  if (created != VK_SUCCESS) return created;
  const std::lock_guard lock(mutex);
  next_device_function = get_of_device;
  const Functions before = driver;
  driver.load_device(get_of_device, *made);
  if (driver != before) stand_up();
  return created;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_function(VkDevice device, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_function(VkInstance of, const char* name);

/// A function under the name of the extension that it comes from is the same one.
PFN_vkVoidFunction find_own(std::string_view name) {
  if (name == "vkCreateInstance") return reinterpret_cast<PFN_vkVoidFunction>(&create_instance);
  if (name == "vkCreateDevice") return reinterpret_cast<PFN_vkVoidFunction>(&create_device);
  if (name == "vkGetDeviceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(&get_device_function);
  if (name == "vkGetInstanceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(&get_instance_function);
  if (name.ends_with("KHR")) name.remove_suffix(3);
  return table.find_changed(name, driver);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_function(VkDevice device, const char* name) {
  const PFN_vkVoidFunction below = next_device_function(device, name);
  const PFN_vkVoidFunction own = find_own(name);
  return own != nullptr && below != nullptr ? own : below;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_function(VkInstance of, const char* name) {
  if (const PFN_vkVoidFunction own = find_own(name)) return own;
  return next_instance_function == nullptr ? nullptr : next_instance_function(of, name);
}

}  // namespace
}  // namespace pintle::hostile

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* versions) {
  versions->loaderLayerInterfaceVersion = 2;
  versions->pfnGetInstanceProcAddr = &pintle::hostile::get_instance_function;
  versions->pfnGetDeviceProcAddr = &pintle::hostile::get_device_function;
  versions->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
