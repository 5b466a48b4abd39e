#include "core/queue/hold.h"

namespace pintle::core {

bool Hold::add(const std::shared_ptr<SignalState>& signal, std::uint64_t value) {
  gates_.reserve(gates_.size() + 1);
  auto gate = std::make_unique<Gate>(*this, signal, value);
  left_.fetch_add(1, std::memory_order_relaxed);
  if (signal->timeline().add(*gate, value) != PointStatus::pending) {
    left_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  gates_.push_back(std::move(gate));
  return true;
}

void Hold::Gate::fire(Worklist& worklist) noexcept {
  const bool failed = signal_->timeline().status(value_) == PointStatus::failed;
  if (failed) hold_.failed_.store(true, std::memory_order_release);
  const bool last = hold_.left_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  if (const auto told = failed ? hold_.when_failed_.lock() : nullptr) worklist.add(told);
  if (const auto told = last ? hold_.when_opened_.lock() : nullptr) worklist.add(told);
}

}  // namespace pintle::core
