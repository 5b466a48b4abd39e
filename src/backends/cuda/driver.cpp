// Finding and opening devices.
#include <memory>
#include <utility>

#include "backends/cuda/device.h"
#include "backends/cuda/found_device.h"
#include "base/contain.h"
#include "kit/found_devices.h"
#include "kit/options.h"

namespace pintle::cuda {
namespace {

class Driver final : public backend::Driver {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "cuda"; }

  backend::Enumeration enumerate() override { return kit::enumeration_of(find_devices()); }

  Result<std::unique_ptr<backend::Device>> open(std::uint32_t ordinal,
                                                std::span<const backend::Option> options) override {
    return base::contain("opening a device", [&]() -> Result<std::unique_ptr<backend::Device>> {
      PINTLE_TRY(kit::read_options("cuda", options, {}));
      FoundDevices found = find_devices();
      if (found.devices.empty()) return Error(Errc::unavailable, found.absences.front().reason);
      if (ordinal < found.devices.size()) return Device::open(std::move(found.devices[ordinal]));
      return kit::no_such_ordinal("cuda", ordinal, found.devices.size());
    });
  }
};

}  // namespace

std::unique_ptr<backend::Driver> create_driver() { return std::make_unique<Driver>(); }

}  // namespace pintle::cuda
