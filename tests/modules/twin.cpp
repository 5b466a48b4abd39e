// A backend outside the tree: the null device under another name. It stands for what others build.
#include <memory>
#include <utility>

#include "base/log.h"
#include "kit/forwarding.h"
#include "pintle/backend/module.h"

namespace pintle::null {
std::unique_ptr<backend::Driver> create_driver();
}

namespace {

using namespace pintle;

class Device final : public kit::Forwarding {
 public:
  explicit Device(std::unique_ptr<backend::Device> inner) : Forwarding("twin", std::move(inner)) {
    info_.id = info_.backend = "twin";
    base::log(LogLevel::warn, "twin", "The module opens a device.");
  }
};

class Driver final : public backend::Driver {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "twin"; }
  backend::Enumeration enumerate() override { return null_->enumerate(); }
  Result<std::unique_ptr<backend::Device>> open(std::uint32_t ordinal,
                                                std::span<const backend::Option> options) override {
    PINTLE_ASSIGN(inner, null_->open(ordinal, options));
    return std::make_unique<Device>(std::move(inner));
  }

 private:
  std::unique_ptr<backend::Driver> null_ = null::create_driver();
};

backend::Driver* create() { return new Driver; }

}  // namespace

extern "C" const backend::Module* pintle_backend_module() {
  static constexpr backend::Module module{.name = "twin", .create = create};
  return &module;
}
