// Finding and opening devices.
#include <array>
#include <memory>

#include "backends/webgpu/device.h"
#include "backends/webgpu/found_device.h"
#include "base/contain.h"
#include "kit/found_devices.h"
#include "kit/options.h"

namespace pintle::webgpu {
namespace {

Result<Progress> progress_of(std::span<const backend::Option> options) {
  Progress progress = Progress::own;
  const auto read_inline = [&](std::string_view text) {
    progress = Progress::driven;
    return text.empty();
  };
  const std::array<kit::OptionRule, 1> rules{{{"inline", "without a value", read_inline}}};
  PINTLE_TRY(kit::read_options("webgpu", options, rules));
  return progress;
}

class Driver final : public backend::Driver {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "webgpu"; }

  backend::Enumeration enumerate() override { return kit::enumeration_of(find_devices()); }

  Result<std::unique_ptr<backend::Device>> open(std::uint32_t ordinal,
                                                std::span<const backend::Option> options) override {
    return base::contain("opening a device", [&]() -> Result<std::unique_ptr<backend::Device>> {
      PINTLE_ASSIGN(progress, progress_of(options));
      PINTLE_ASSIGN(found, kit::device_at(find_devices(), "webgpu", ordinal));
      found.info.progress = progress;
      return Device::open(std::move(found));
    });
  }
};

}  // namespace

std::unique_ptr<backend::Driver> create_driver() { return std::make_unique<Driver>(); }

}  // namespace pintle::webgpu
