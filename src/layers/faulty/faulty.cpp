// Makes one call of the seam fail.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "base/contain.h"
#include "kit/losable.h"
#include "kit/verdict.h"
#include "layers/faulty/plan.h"

namespace pintle::layers {
namespace {

using kit::Call;

// Opening is first in the table. It is not a call of an open device.
constexpr std::size_t place(Call call) noexcept { return static_cast<std::size_t>(call) + 1; }

class Device final : public kit::Losable {
 public:
  Device(std::unique_ptr<backend::Device> inner, std::shared_ptr<Plan> plan)
      : Losable("faulty", std::move(inner)), plan_(std::move(plan)), armed_(std::make_shared<Plan>(Fault())) {}

  Result<void> native(std::string_view type, std::uint64_t object, void* out) override {
    if (type == FaultyControl::native_type) {
      *static_cast<FaultyControl*>(out) = {&Device::arm, this, presence()};
      return {};
    }
    if (type == kit::Verdict::native_type) return inner_->native(type, object, out);  // no call of a user's
    if (type != FaultyCounts::native_type) return Losable::native(type, object, out);
    std::lock_guard lock(mutex_);
    *static_cast<FaultyCounts*>(out) = counts_;
    return {};
  }

 protected:
  Result<void> before(Call call) override {
    PINTLE_TRY(Losable::before(call));
    std::unique_lock lock(mutex_);
    const std::uint64_t ordinal = ++counts_.counts[place(call)];
    const Plan* firing = armed_->fires(place(call), ordinal) ? armed_.get() : nullptr;
    if (firing == nullptr && plan_->fires(place(call), ordinal)) firing = plan_.get();
    if (firing == nullptr) return {};
    const Errc code = firing->code();
    lock.unlock();
    const Error error(
        code, fmt::format("The call ({}) number ({}) of [{}] fails as planned.", name(call), ordinal, info_.id));
    const bool is_loss = code == Errc::device_lost || code == Errc::process_poisoned;
    return is_loss ? lose(error.with_device(info_.id, 0)) : error.with_device(info_.id, 0);
  }

 private:
  static Result<void> arm(void* self, std::string_view call, std::uint64_t ordinal, Errc code) {
    return base::contain("arming a fault", [&]() -> Result<void> {
      PINTLE_ASSIGN(fault, fault_of(call, std::max<std::uint64_t>(ordinal, 1), 1, code));
      auto& device = *static_cast<Device*>(self);
      std::lock_guard lock(device.mutex_);
      device.armed_ = std::make_shared<Plan>(ordinal == 0 ? Fault() : fault);
      return {};
    });
  }

  std::shared_ptr<Plan> plan_;
  std::mutex mutex_;
  std::shared_ptr<Plan> armed_;
  FaultyCounts counts_;
};

class Layer final : public backend::Layer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "faulty"; }
  Result<std::unique_ptr<backend::Device>> wrap(std::unique_ptr<backend::Device> inner,
                                                std::span<const backend::Option> options) override {
    return base::contain("wrapping in [faulty]", [&]() -> Result<std::unique_ptr<backend::Device>> {
      PINTLE_ASSIGN(plan, plans_.find(inner->info().id, options));
      if (plan->fires_on_open()) {
        return Error(plan->code(), fmt::format("Opening [faulty({})] fails as planned.", inner->info().id));
      }
      return std::make_unique<Device>(std::move(inner), plan);
    });
  }

 private:
  Plans plans_;
};

}  // namespace

std::unique_ptr<backend::Layer> create_faulty_layer() { return std::make_unique<Layer>(); }

}  // namespace pintle::layers
