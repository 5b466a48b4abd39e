// What stands behind a Recording: a resolved list, and what each slot must hold.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/buffers/stamps.h"
#include "core/list/slot_rules.h"
#include "core/queue/flight.h"
#include "core/queue/replay_plan.h"
#include "pintle/backend/command.h"
#include "pintle/recording.h"

namespace pintle::core {

class Incarnation;
class QueueState;

/// Frozen: its commands never change, its barriers are computed once. Where the backend records the list, a replay is
/// one command with bindings; elsewhere the plan is submitted, with its slots filled in where it has any. The
/// incarnation's lock guards it.
class RecordingState : public std::enable_shared_from_this<RecordingState> {
 public:
  RecordingState(std::shared_ptr<Incarnation> incarnation, CommandList list, std::string text);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] std::size_t slots() const noexcept { return slots_; }
  [[nodiscard]] Incarnation& incarnation() const noexcept { return *incarnation_; }

  [[nodiscard]] const std::vector<std::shared_ptr<HostFunction>>& host_functions() const noexcept {
    return list_.host_functions_;
  }

  // With the lock held:
  /// Resolves the list, collects the rules, and hands it to the backend.
  Result<void> freeze();
  /// Checks buffers and bindings for a replay and makes the flight's commands.
  Result<void> bind(QueueState& queue, Flight& flight, std::span<const SlotValue> bindings);
  [[nodiscard]] const Stamps& stamps() const noexcept { return stamps_; }
  /// Ends the backend's recording.
  void forget() noexcept;

 private:
  Result<void> check_written() const;
  Result<void> bind_slots(Flight& flight, std::span<const SlotValue> bindings) const;
  Result<backend::Binding> bind_slot(std::uint32_t slot, const SlotValue& value) const;
  Result<backend::Binding> to_binding(const SlotValue& value) const;
  Result<void> place(backend::Range& range, std::uint32_t slot) const;
  [[nodiscard]] static std::optional<DType> dtype_of_value(const SlotValue& value);
  Result<void> check_copies(std::span<const backend::Binding> bindings) const;
  void compose(Flight& flight) const;

  std::shared_ptr<Incarnation> incarnation_;
  CommandList list_;
  std::string text_;
  std::size_t slots_ = 0;
  bool launches_ = false;
  std::vector<SlotRule> rules_;
  std::vector<SlotCopy> copies_;
  std::vector<std::uint64_t> buffers_;  // every buffer that the list names, once
  std::vector<std::uint64_t> written_;  // those of them that it writes
  std::vector<Access> slot_accesses_;   // what the list does to the buffers in its slots
  ReplayPlan plan_;                     // never written again, so that no cache line travels back
  Stamps stamps_;
};

}  // namespace pintle::core
