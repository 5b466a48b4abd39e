// Finding and opening devices.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "backends/cuda/device.h"
#include "backends/cuda/found_device.h"
#include "base/contain.h"
#include "kit/options.h"

namespace pintle::cuda {
namespace {

class Driver final : public backend::Driver {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "cuda"; }

  backend::Enumeration enumerate() override {
    backend::Enumeration all;
    FoundDevices found = find_devices();
    for (FoundDevice& device : found.devices) all.devices.push_back(std::move(device.info));
    all.absences = std::move(found.absences);
    return all;
  }

  Result<std::unique_ptr<backend::Device>> open(std::uint32_t ordinal,
                                                std::span<const backend::Option> options) override {
    return base::contain("opening a device", [&]() -> Result<std::unique_ptr<backend::Device>> {
      PINTLE_TRY(kit::read_options("cuda", options, {}));
      FoundDevices found = find_devices();
      if (found.devices.empty()) return Error(Errc::unavailable, found.absences.front().reason);
      if (ordinal < found.devices.size()) return Device::open(std::move(found.devices[ordinal]));
      return Error(Errc::not_found, fmt::format("Ordinal ({}) of [cuda] is not below the number of devices ({}).",
                                                ordinal, found.devices.size()));
    });
  }
};

}  // namespace

std::unique_ptr<backend::Driver> create_driver() { return std::make_unique<Driver>(); }

}  // namespace pintle::cuda
