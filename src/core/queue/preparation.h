// What a submission needs of the device's tables, before it is accepted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/buffers/buffer_table.h"
#include "core/list/hazards.h"
#include "core/list/list_state.h"
#include "core/queue/flight.h"
#include "pintle/commands.h"

namespace pintle::core {

/// Gives lazy buffers their memory, which a device is asked for before the turn and without the lock. A buffer of
/// another device is refused later.
[[nodiscard]] Result<void> give_memory(BufferTable& table, const CommandList& list);
[[nodiscard]] Result<void> give_memory(BufferTable& table, std::span<const SlotValue> bindings);

/// Fills in where buffers are, and stamps what the submission names with the serial to come, so that it stays alive
/// while the backend is called without the lock. Nothing is undone where the submission is refused then: a stamp beyond
/// the queue's last serial counts as the last one's, and later as that of the submission that takes the serial. So what
/// was stamped may wait for work that does not use it.
class Preparation {
 public:
  /// For submissions of `queue`, with the lock held.
  Preparation(BufferTable& table, std::uint64_t queue, const Locked& locked) noexcept
      : table_(table), queue_(queue), locked_(locked) {}

  /// Goes through the list once: memory, stamps, barriers. Where the device has imported memory, a second pass lets it
  /// do the transfers to and from there. `stale` names a buffer that has gone; `invalid_argument`, a sealed one that
  /// would be written; `unsupported`, what the device does not have.
  Result<void> resolve(ListState& list, Flight& flight);
  /// Marks a use of a live buffer, and returns its record. Null, and a refusal as of `resolve`, where it may not be
  /// used.
  const BufferRecord* use(std::uint64_t buffer, Access access, Flight& flight, Result<void>& refusal) {
    BufferRecord* const record = table_.find(buffer, locked_);
    if (record == nullptr || record->formed || record->is_sealed)
      return use_special(record, buffer, access, flight, refusal);
    stamp(record->stamps, flight.serial);
    return record;
  }
  /// Marks a use of another object with stamps, which lives until the flight has started.
  void stamp(Stamps& stamps, std::uint64_t serial) {
    Stamp* const own = stamps.find(queue_);
    if (own == nullptr) return add_stamp(stamps, serial);
    own->serial = serial;
  }

 private:
  /// The buffer of the range before, in the same list.
  struct Used {
    std::uint64_t buffer = 0;
    const BufferRecord* record = nullptr;  // null also where each use of it needs a look of its own
  };
  /// `use` by one range of a list. Ranges that stand side by side often have one buffer, which has its stamp then.
  const BufferRecord* use_next(std::uint64_t buffer, Access access, Flight& flight, Result<void>& refusal,
                               Used& before) {
    if (before.record != nullptr && before.buffer == buffer) return before.record;
    const BufferRecord* const record = use(buffer, access, flight, refusal);
    const bool is_plain = record != nullptr && !record->formed && !record->is_sealed;
    before = {buffer, is_plain ? record : nullptr};
    return record;
  }
  const BufferRecord* use_special(BufferRecord* record, std::uint64_t buffer, Access access, Flight& flight,
                                  Result<void>& refusal);
  void add_stamp(Stamps& stamps, std::uint64_t serial);
  void come_after(std::optional<Point>& formed, Flight& flight);
  void use_imports(ListState& list, Flight& flight);

  BufferTable& table_;
  const std::uint64_t queue_;
  const Locked& locked_;
};

}  // namespace pintle::core
