// Finding and opening devices.
#include <fmt/format.h>

#include <mutex>

#include "backends/vulkan/device.h"
#include "backends/vulkan/glsl.h"
#include "base/contain.h"
#include "base/made_once.h"
#include "kit/found_devices.h"
#include "kit/options.h"
#include "vendor/vulkan/instance.h"

namespace pintle::vulkan {
namespace {

constexpr const char* install =
    "Install the Vulkan loader and a driver (Debian: libvulkan1 and mesa-vulkan-drivers), or name a driver's manifest "
    "in VK_ICD_FILENAMES.";

/// The instance stays once it exists: some drivers fail when they are closed and opened again.
class Driver final : public backend::Driver {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "vulkan"; }

  backend::Enumeration enumerate() override {
    backend::Enumeration found;
    const auto listed = base::made_once(base::contain("listing Vulkan devices", [&] { return list(found); }));
    if (!listed) found.absences.push_back({"vulkan", listed.error().text(), install});
    return found;
  }

  Result<std::unique_ptr<backend::Device>> open(std::uint32_t ordinal,
                                                std::span<const backend::Option> options) override {
    return base::contain("opening a Vulkan device", [&]() -> Result<std::unique_ptr<backend::Device>> {
      PINTLE_TRY(kit::read_options("vulkan", options, {}));
      PINTLE_ASSIGN(devices, listed());
      if (ordinal >= devices.size()) return kit::no_such_ordinal("vulkan", ordinal, devices.size());
      Physical& physical = devices[ordinal];
      DeviceInfo info = describe(physical, ordinal, can_compile_glsl());
      PINTLE_ASSIGN(context, Context::open(instance_, std::move(physical), info.id));
      return Device::over(std::move(context), std::move(info));
    });
  }

  Result<std::unique_ptr<backend::Device>> wrap(const backend::NativeObject& object, std::string_view id) override {
    return base::contain("wrapping a Vulkan device", [&]() -> Result<std::unique_ptr<backend::Device>> {
      if (object.type != VulkanDevice::native_type) return backend::Driver::wrap(object, id);
      const auto& given = *static_cast<const VulkanDevice*>(object.value);
      PINTLE_TRY(check(given));
      PINTLE_ASSIGN(instance,
                    Instance::wrap(static_cast<VkInstance>(given.instance),
                                   reinterpret_cast<PFN_vkGetInstanceProcAddr>(given.get_instance_proc_addr)));
      Physical physical = Physical::of(instance->functions(), static_cast<VkPhysicalDevice>(given.physical_device),
                                       static_cast<const VkDeviceCreateInfo*>(given.create_info));
      PINTLE_TRY(take_queue(physical, given.queue_family));
      DeviceInfo info = describe(physical, 0, can_compile_glsl());
      info.id = id;
      PINTLE_ASSIGN(context, Context::wrap(std::move(instance), std::move(physical), info.id, given));
      return Device::over(std::move(context), std::move(info));
    });
  }

 private:
  static Result<void> check(const VulkanDevice& given) {
    std::string_view missing;
    if (given.create_info == nullptr) missing = "create_info";
    if (given.device == nullptr) missing = "device";
    if (given.physical_device == nullptr) missing = "physical_device";
    if (given.instance == nullptr) missing = "instance";
    if (missing.empty()) return {};
    return Error(Errc::invalid_argument, fmt::format("Member ({}) of the VulkanDevice is null.", missing));
  }

  /// A device of the caller's has a queue of the given family only.
  static Result<void> take_queue(Physical& physical, std::uint32_t family) {
    if (const std::string refusal = physical.refusal(); !refusal.empty())
      return Error(Errc::invalid_argument,
                   fmt::format("Device \"{}\" cannot be used as it was made: {}.", physical.name(), refusal));
    if (family >= physical.families.size() || (physical.families[family].flags & VK_QUEUE_COMPUTE_BIT) == 0)
      return Error(Errc::invalid_argument,
                   fmt::format("Queue family ({}) of device \"{}\" does not compute.", family, physical.name()));
    physical.compute = physical.families[family];
    physical.copy.reset();
    return {};
  }

  Result<void> list(backend::Enumeration& found) {
    PINTLE_ASSIGN(devices, usable(&found.absences));
    const bool compiles = !devices.empty() && can_compile_glsl();
    for (const Physical& physical : devices)
      found.devices.push_back(describe(physical, static_cast<std::uint32_t>(found.devices.size()), compiles));
    if (devices.empty() && found.absences.empty())
      found.absences.push_back(
          {"vulkan", "The drivers of " + vendor::vulkan::driver_places() + " list no device.", install});
    return {};
  }

  /// The devices that were listed last: an ordinal counts those.
  Result<std::vector<Physical>> listed() {
    {
      const std::lock_guard lock(mutex_);
      if (!listed_.empty()) return listed_;
    }
    return usable(nullptr);
  }

  /// The devices in the loader's order, without those that this backend cannot use.
  Result<std::vector<Physical>> usable(std::vector<Absence>* absences) {
    const std::lock_guard lock(mutex_);
    if (instance_ == nullptr) {
      PINTLE_ASSIGN(created, Instance::create());
      instance_ = std::move(created);
    }
    PINTLE_ASSIGN(all, instance_->physical_devices());
    std::vector<Physical> devices;
    for (const VkPhysicalDevice handle : all) {
      Physical physical = Physical::of(instance_->functions(), handle);
      const std::string refusal = physical.refusal();
      if (refusal.empty()) devices.push_back(std::move(physical));
      else if (absences != nullptr)
        absences->push_back({"vulkan", fmt::format("Device \"{}\" cannot be used: {}.", physical.name(), refusal),
                             "Install a newer driver for it."});
    }
    listed_ = devices;
    return devices;
  }

  std::mutex mutex_;
  std::shared_ptr<const Instance> instance_;
  std::vector<Physical> listed_;
};

}  // namespace

std::unique_ptr<backend::Driver> create_driver() { return std::make_unique<Driver>(); }

}  // namespace pintle::vulkan
