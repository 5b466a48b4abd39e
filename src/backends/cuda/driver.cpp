// Finding and opening devices.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "backends/cuda/context.h"
#include "backends/cuda/device.h"
#include "backends/cuda/find_devices.h"
#include "backends/cuda/native.h"
#include "backends/cuda/platform.h"
#include "base/contain.h"
#include "kit/found_devices.h"
#include "kit/options.h"

namespace pintle::cuda {
namespace {

class Driver final : public backend::Driver {
 public:
  explicit Driver(Platform& platform) noexcept : platform_(platform) {}

  [[nodiscard]] std::string_view name() const noexcept override { return platform_.names().backend; }

  backend::Enumeration enumerate() override { return kit::enumeration_of(find_devices(platform_)); }

  Result<std::unique_ptr<backend::Device>> open(std::uint32_t ordinal,
                                                std::span<const backend::Option> options) override {
    return base::contain("opening a device", [&]() -> Result<std::unique_ptr<backend::Device>> {
      bool is_primary = false;
      const kit::OptionRule primary{"primary", "without a value", [&](std::string_view value) {
                                      is_primary = true;
                                      return value.empty();
                                    }};
      PINTLE_TRY(kit::read_options(name(), options, {&primary, platform_.names().has_contexts ? 1u : 0u}));
      PINTLE_ASSIGN(found, kit::device_at(find_devices(platform_), name(), ordinal));
      const auto owner = is_primary ? Context::Owner::driver : Context::Owner::us;
      PINTLE_ASSIGN(context, Context::open(std::move(found), owner));
      return Device::over(std::move(context));
    });
  }

  Result<std::unique_ptr<backend::Device>> wrap(const backend::NativeObject& object, std::string_view id) override {
    return base::contain("wrapping a device", [&]() -> Result<std::unique_ptr<backend::Device>> {
      PINTLE_ASSIGN(given, given_device(platform_, object));
      FoundDevices found = find_devices(platform_);
      const auto place = std::ranges::find(found.devices, given.device, &FoundDevice::device);
      if (place == found.devices.end())
        return Error(Errc::invalid_argument,
                     fmt::format("The device ({}) is none that the driver lists.", given.device));
      place->info.id = id;
      PINTLE_ASSIGN(context, given.context == nullptr ? Context::open(std::move(*place), Context::Owner::us)
                                                      : Context::over(std::move(*place), given.context));
      return Device::over(std::move(context));
    });
  }

 private:
  Platform& platform_;
};

}  // namespace

std::unique_ptr<backend::Driver> create_driver() { return std::make_unique<Driver>(cuda_platform()); }

}  // namespace pintle::cuda

namespace pintle::hip {

std::unique_ptr<backend::Driver> create_driver() { return std::make_unique<cuda::Driver>(cuda::hip_platform()); }

}  // namespace pintle::hip
