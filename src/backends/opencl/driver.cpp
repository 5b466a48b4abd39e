// Finding and opening devices.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "backends/opencl/device.h"
#include "backends/opencl/found_device.h"
#include "backends/opencl/wrap.h"
#include "base/contain.h"
#include "base/log.h"
#include "kit/found_devices.h"
#include "kit/options.h"

namespace pintle::opencl {
namespace {

class Driver final : public backend::Driver {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "opencl"; }

  backend::Enumeration enumerate() override { return kit::enumeration_of(find_devices()); }

  Result<std::unique_ptr<backend::Device>> open(std::uint32_t ordinal,
                                                std::span<const backend::Option> options) override {
    return base::contain("opening a device", [&]() -> Result<std::unique_ptr<backend::Device>> {
      PINTLE_TRY(kit::read_options("opencl", options, {}));
      PINTLE_ASSIGN(found, kit::device_at(find_devices(), "opencl", ordinal));
      found.info.id = fmt::format("opencl:{}", ordinal);
      return Device::open(found);
    });
  }

  Result<std::unique_ptr<backend::Device>> wrap(const backend::NativeObject& object, std::string_view id) override {
    return base::contain("wrapping a device", [&]() -> Result<std::unique_ptr<backend::Device>> {
      if (object.type != OpenClDevice::native_type) return backend::Driver::wrap(object, id);
      const auto& given = *static_cast<const OpenClDevice*>(object.value);
      FoundDevices found = find_devices();
      const auto place =
          std::ranges::find(found.devices, static_cast<cl_device_id>(given.device), &FoundDevice::device);
      if (place == found.devices.end())
        return Error(Errc::invalid_argument,
                     "The cl_device_id is none that the ICD loader lists and that can be used.");
      PINTLE_ASSIGN(context, retain_context(given));
      const auto kept = std::make_shared<Owned<cl_context>>(std::move(context));
      place->info.id = id;
      return Device::over(*place, [kept]() -> Result<Owned<cl_context>> { return std::move(*kept); });
    });
  }
};

}  // namespace

std::unique_ptr<backend::Driver> create_driver() { return std::make_unique<Driver>(); }

}  // namespace pintle::opencl
