// What keeps a submission from starting.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/time/signal_state.h"
#include "core/time/worklist.h"

namespace pintle::core {

/// One gate for each point that no backend can wait for yet. `opened` runs when the last gate is passed, `failed` when
/// a gate fails.
class Hold {
 public:
  Hold(std::weak_ptr<Deferred> opened, std::weak_ptr<Deferred> failed) noexcept
      : when_opened_(std::move(opened)), when_failed_(std::move(failed)) {}

  /// Adds a gate; false when the point is no longer pending.
  bool add(const std::shared_ptr<SignalState>& signal, std::uint64_t value);
  [[nodiscard]] bool is_open() const noexcept { return left_.load(std::memory_order_acquire) == 0; }
  [[nodiscard]] bool has_failed() const noexcept { return failed_.load(std::memory_order_acquire); }

 private:
  class Gate final : public Timeline::Waiter {
   public:
    Gate(Hold& hold, std::shared_ptr<SignalState> signal, std::uint64_t value) noexcept
        : hold_(hold), signal_(std::move(signal)), value_(value) {}
    ~Gate() { signal_->timeline().remove(*this); }
    void fire(Worklist& worklist) noexcept override;

   private:
    friend class Hold;
    Hold& hold_;
    std::shared_ptr<SignalState> signal_;
    std::uint64_t value_;
  };

  std::weak_ptr<Deferred> when_opened_, when_failed_;
  std::atomic<std::uint32_t> left_{0};
  std::atomic<bool> failed_{false};
  std::vector<std::unique_ptr<Gate>> gates_;
};

inline bool Hold::add(const std::shared_ptr<SignalState>& signal, std::uint64_t value) {
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

inline void Hold::Gate::fire(Worklist& worklist) noexcept {
  const bool failed = signal_->timeline().status(value_) == PointStatus::failed;
  if (failed) hold_.failed_.store(true, std::memory_order_release);
  const bool last = hold_.left_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  if (const auto told = failed ? hold_.when_failed_.lock() : nullptr) worklist.add(told);
  if (const auto told = last ? hold_.when_opened_.lock() : nullptr) worklist.add(told);
}

}  // namespace pintle::core
