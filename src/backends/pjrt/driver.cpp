// Finding and opening devices.
#include <array>
#include <charconv>
#include <memory>

#include "backends/pjrt/device.h"
#include "backends/pjrt/found_device.h"
#include "base/contain.h"
#include "kit/found_devices.h"
#include "kit/options.h"

namespace pintle::pjrt {
namespace {

/// Which of a plug-in's devices is meant.
Result<std::uint32_t> index_of(std::span<const backend::Option> options, const Session& session) {
  std::uint32_t index = 0;
  const auto read_index = [&](std::string_view text) {
    const auto read = std::from_chars(text.data(), text.data() + text.size(), index);
    return read.ec == std::errc() && read.ptr == text.data() + text.size() && index < session.devices.size();
  };
  const std::string valid = fmt::format("a number from 0 to {}", session.devices.size() - 1);
  const std::array<kit::OptionRule, 1> rules{{{"device", valid, read_index}}};
  PINTLE_TRY(kit::read_options("pjrt", options, rules));
  return index;
}

class Driver final : public backend::Driver {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "pjrt"; }

  backend::Enumeration enumerate() override { return kit::enumeration_of(find_devices()); }

  Result<std::unique_ptr<backend::Device>> open(std::uint32_t ordinal,
                                                std::span<const backend::Option> options) override {
    return base::contain("opening a device", [&]() -> Result<std::unique_ptr<backend::Device>> {
      PINTLE_ASSIGN(found, kit::device_at(find_devices(), "pjrt", ordinal));
      PINTLE_ASSIGN(index, index_of(options, *found.session));
      return Device::open(std::move(found), index);
    });
  }
};

}  // namespace

std::unique_ptr<backend::Driver> create_driver() { return std::make_unique<Driver>(); }

}  // namespace pintle::pjrt
