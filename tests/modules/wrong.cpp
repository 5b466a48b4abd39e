// Modules that must not be used: CMakeLists.txt says what is wrong with each.
#include <cstdlib>
#include <stdexcept>

#include "pintle/backend/module.h"

namespace {

using namespace pintle;

class Driver final : public backend::Driver {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "somebody"; }
  backend::Enumeration enumerate() override { std::abort(); }
  Result<std::unique_ptr<backend::Device>> open(std::uint32_t, std::span<const backend::Option>) override {
    std::abort();
  }
};

[[maybe_unused]] backend::Driver* misnamed() { return new Driver; }
[[maybe_unused]] backend::Driver* none() { return nullptr; }
[[maybe_unused]] backend::Driver* thrown() { throw std::runtime_error("The module throws."); }
/// A module that does not fit must not be asked for anything.
[[maybe_unused]] backend::Driver* fatal() { std::abort(); }

constexpr backend::Module right{};
[[maybe_unused]] constexpr backend::Module module{.size = right.size + MODULE_SIZE,
                                                  .version = right.version + MODULE_VERSION,
                                                  .layout = right.layout + MODULE_LAYOUT,
                                                  .name = MODULE_NAME,
                                                  .create = MODULE_CREATE};

}  // namespace

extern "C" const backend::Module* pintle_backend_module() { return MODULE_ANSWER; }
