// What stands behind a Recording: a resolved list, and what each slot must hold.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/buffers/buffer_table.h"
#include "core/buffers/stamps.h"
#include "core/list/slot_rules.h"
#include "core/queue/flight.h"
#include "core/queue/preparation.h"
#include "core/queue/replay_plan.h"
#include "pintle/backend/command.h"
#include "pintle/recording.h"

namespace pintle::core {

/// Frozen: its commands never change, and its barriers are computed once. Where the backend records the list, a replay
/// is one command with bindings. Elsewhere the plan is submitted, with its slots filled in where it has any. The
/// device's lock guards its stamps.
class RecordingState {
 public:
  RecordingState(std::shared_ptr<BufferTable> table, CommandList list, std::string text);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] std::size_t slots() const noexcept { return demands_.accesses.size(); }
  [[nodiscard]] BufferTable& table() const noexcept { return *table_; }
  [[nodiscard]] bool launches() const noexcept { return launches_; }

  /// Resolves the list and collects the rules. Called with the lock held.
  Result<void> freeze(const Locked& locked);
  /// Gives the list to the backend. Called in the device's turn.
  Result<void> plan(const Turn&);
  /// Ends the backend's recording. Called in the device's turn.
  void forget(const Turn&) noexcept;

  /// Checks what a replay binds, and makes the flight's commands. Called with the lock held.
  Result<void> bind(Preparation& preparation, Flight& flight, std::span<const SlotValue> bindings,
                    const Locked& locked);
  [[nodiscard]] const Stamps& stamps(const Locked&) const noexcept { return stamps_; }

 private:
  Result<void> bind_slots(Preparation& preparation, Flight& flight, std::span<const SlotValue> bindings,
                          const Locked& locked) const;
  Result<backend::Binding> bind_slot(Preparation& preparation, Flight& flight, std::uint32_t slot,
                                     const SlotValue& value) const;
  Result<backend::Binding> to_binding(const SlotValue& value) const;
  [[nodiscard]] static std::optional<DType> dtype_of_value(const SlotValue& value);
  Result<void> check_copies(std::span<const backend::Binding> bindings, const Locked& locked) const;
  void compose(Flight& flight, const Locked& locked) const;
  void give_runs(Flight& flight) const;
  [[nodiscard]] bool touches_imports(std::span<const backend::Binding> bindings, const Locked& locked) const;

  std::shared_ptr<BufferTable> table_;
  CommandList owner_;
  ListState& list_;
  std::string text_;
  bool launches_ = false;
  SlotDemands demands_;
  std::vector<BufferUse> uses_;  // every buffer that the list names, once
  ReplayPlan plan_;              // never written again, so its cache lines stay shared
  Stamps stamps_;
};

}  // namespace pintle::core
