#include "core/queue/preparation.h"

#include <algorithm>
#include <type_traits>

#include "base/inside.h"
#include "core/queue/imported.h"
#include "kit/accesses.h"

namespace pintle::core {

Result<void> give_memory(BufferTable& table, const CommandList& list) {
  const ListState* const state = Inside::state(list);
  if (state == nullptr || state->incarnation != table.life().number()) return {};
  for (const BufferUse& use : buffer_uses(state->commands, state->arguments)) PINTLE_TRY(table.materialize(use.buffer));
  return {};
}

Result<void> give_memory(BufferTable& table, std::span<const SlotValue> bindings) {
  for (const SlotValue& value : bindings) {
    const auto* const view = std::get_if<BufferView>(&Inside::value(value));
    if (view == nullptr || Inside::incarnation(*view) != table.life().number()) continue;
    PINTLE_TRY(table.materialize(Inside::buffer(*view)));
  }
  return {};
}

Result<void> Preparation::resolve(ListState& list, Flight& flight) {
  if (list.needs_features) PINTLE_TRY(list.check_features(table_.life().info()));
  const bool has_imports = !table_.aliases(locked_).empty();
  const auto go_through = [&]<class Order>(Order* barriers) __attribute__((always_inline)) -> Result<void> {
    constexpr bool has_order = !std::is_void_v<Order>;
    Result<void> answer;
    [[maybe_unused]] Used before;
    for (backend::Command& command : list.commands) {
      kit::for_each_range(command, std::span(list.arguments), [&](backend::Range& range, Access access) {
        const BufferRecord* record = nullptr;
        if constexpr (has_order) record = answer ? use_next(range.buffer, access, flight, answer, before) : nullptr;
        else record = answer ? use(range.buffer, access, flight, answer) : nullptr;
        if (record == nullptr) return;
        range.memory = record->memory;
        range.offset += record->base;
        if constexpr (has_order) barriers->touch(range, access);
      });
      if (!answer) return answer;
      if constexpr (has_order) barriers->place(command);
    }
    return answer;
  };
  if (has_imports || list.commands.size() < 2) {  // one command needs no barrier
    PINTLE_TRY(go_through(static_cast<void*>(nullptr)));
  } else {
    Barriers barriers;
    PINTLE_TRY(go_through(&barriers));
  }
  PINTLE_TRY(table_.check_texels(list.arguments, locked_));
  for (const std::uint64_t buffer : list.held) {  // they stay until the flight is over; nothing is ordered
    BufferRecord* const record = table_.find(buffer, locked_);
    if (record == nullptr) return table_.stale(buffer);
    stamp(record->stamps, flight.serial);
  }
  if (has_imports) use_imports(list, flight);
  return {};
}

/// `use` where the buffer has gone, is sealed, or is formed by other work.
const BufferRecord* Preparation::use_special(BufferRecord* record, std::uint64_t buffer, Access access, Flight& flight,
                                             Result<void>& refusal) {
  if (record == nullptr) refusal = table_.stale(buffer);
  else if (record->is_sealed && writes(access)) refusal = table_.sealed_refusal(buffer, locked_);
  if (!refusal) return nullptr;
  if (record->formed) come_after(record->formed, flight);
  stamp(record->stamps, flight.serial);
  return record;
}

void Preparation::add_stamp(Stamps& stamps, std::uint64_t serial) {
  stamps.reserve_one([&](const Stamp& stamp) { return table_.clocks(locked_).is_finished(stamp); });
  stamps.set(queue_, serial);
}

/// As if the user had asked to wait for the point.
void Preparation::come_after(std::optional<Point>& formed, Flight& flight) {
  const auto& signal = Inside::signal(*formed);
  if (signal->timeline().status(formed->value()) == PointStatus::reached) return formed.reset();
  const QueueClock* const own = table_.clocks(locked_).find(queue_);
  if (own != nullptr && own->timeline == signal) return;
  const auto is_it = [&](const Point& point) {
    return Inside::signal(point) == signal && point.value() == formed->value();
  };
  if (std::ranges::any_of(flight.waits, is_it)) return;
  flight.has_more = true;
  flight.waits.push_back(*formed);
}

/// Lets the device do the transfers to and from imported memory.
void Preparation::use_imports(ListState& list, Flight& flight) {
  const auto aliases = table_.aliases(locked_);
  core::use_imports(list.commands, aliases);
  place_barriers(list.commands, list.arguments, aliases);
  for (const backend::Command& command : list.commands) {
    const auto* const copy = std::get_if<backend::Copy>(&command.operation);
    if (copy == nullptr) continue;
    for (const backend::Range& range : {copy->to, copy->from}) {
      const auto alias = std::ranges::find(aliases, range.memory, &Alias::memory);
      if (alias == aliases.end()) continue;
      BufferRecord* const record = table_.find_any(alias->buffer, locked_);  // it may have been destroyed
      if (record != nullptr) stamp(record->stamps, flight.serial);
      flight.is_lent |= record == nullptr || record->is_retired;  // the import goes with its last use
    }
  }
}

}  // namespace pintle::core
