#include <memory>

#include "backends/null/device.h"
#include "base/contain.h"
#include "base/parse.h"
#include "kit/options.h"

namespace pintle::null {
namespace {

constexpr std::uint64_t default_heap_bytes = 16ull << 30;

class Driver final : public backend::Driver {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "null"; }
  backend::Enumeration enumerate() override { return {.devices = {describe(default_heap_bytes)}, .absences = {}}; }

  Result<std::unique_ptr<backend::Device>> open(std::uint32_t, std::span<const backend::Option> options) override {
    return base::contain("opening [null]", [&]() -> Result<std::unique_ptr<backend::Device>> {
      std::uint64_t heap_bytes = default_heap_bytes;
      const auto read_memory = [&](std::string_view text) {
        const auto bytes = base::parse_number<std::uint64_t>(text, 1);
        heap_bytes = bytes.value_or(heap_bytes);
        return bytes.has_value();
      };
      PINTLE_TRY(kit::read_options("null", options, {{{"memory", "a number of bytes, at least 1", read_memory}}}));
      return std::make_unique<Device>(heap_bytes);
    });
  }
};

}  // namespace

std::unique_ptr<backend::Driver> create_driver() { return std::make_unique<Driver>(); }

}  // namespace pintle::null
