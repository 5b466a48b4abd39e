// Finding and opening devices.
#include <memory>

#include "backends/webgpu/device.h"
#include "backends/webgpu/found_device.h"
#include "base/contain.h"
#include "kit/found_devices.h"
#include "kit/options.h"

namespace pintle::webgpu {
namespace {

class Driver final : public backend::Driver {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "webgpu"; }

  backend::Enumeration enumerate() override { return kit::enumeration_of(find_devices()); }

  Result<std::unique_ptr<backend::Device>> open(std::uint32_t ordinal,
                                                std::span<const backend::Option> options) override {
    return base::contain("opening a device", [&]() -> Result<std::unique_ptr<backend::Device>> {
      PINTLE_TRY(kit::read_options("webgpu", options, {}));
      FoundDevices found = find_devices();
      if (found.devices.empty()) return Error(Errc::unavailable, found.absences.front().reason);
      if (ordinal >= found.devices.size()) return kit::no_such_ordinal("webgpu", ordinal, found.devices.size());
      return Device::open(std::move(found.devices[ordinal]));
    });
  }
};

}  // namespace

std::unique_ptr<backend::Driver> create_driver() { return std::make_unique<Driver>(); }

}  // namespace pintle::webgpu
