#include "core/queue/preparation.h"

#include <algorithm>
#include <utility>

#include "base/inside.h"
#include "core/list/list_state.h"
#include "core/queue/imported.h"
#include "kit/accesses.h"

namespace pintle::core {

Result<void> Preparation::resolve(ListState& list, Flight& flight, const Locked& locked) {
  PINTLE_TRY(list.check_features(table_.life().info()));
  Result<void> answer;
  for (backend::Command& command : list.commands) {
    kit::for_each_range(command, std::span(list.arguments), [&](backend::Range& range, Access access) {
      if (range.slot != backend::no_slot || !answer) return;
      const auto place = use(range.buffer, access, flight, locked);
      if (!place) {
        answer = place.error();
        return;
      }
      range.memory = place->memory;
      range.offset += place->offset;
    });
    if (!answer) return answer;
  }
  PINTLE_TRY(table_.check_texels(list.arguments, locked));
  for (const std::uint64_t buffer : list.held) PINTLE_TRY(keep(buffer, flight.serial, locked));
  return {};
}

Result<backend::Range> Preparation::use(std::uint64_t buffer, Access access, Flight& flight, const Locked& locked) {
  BufferRecord* const record = table_.find(buffer, locked);
  if (record == nullptr) return table_.stale(buffer);
  if (record->is_special()) {
    if (record->is_sealed && writes(access)) return table_.sealed_refusal(buffer, locked);
    if (record->formed) come_after(record->formed, flight, locked);
  }
  touch(buffer, *record, flight.serial, locked);
  return backend::Range{record->memory, buffer, record->base, record->size};
}

/// Until the flight is over. Nothing is ordered.
Result<void> Preparation::keep(std::uint64_t buffer, std::uint64_t serial, const Locked& locked) {
  BufferRecord* const record = table_.find(buffer, locked);
  if (record == nullptr) return table_.stale(buffer);
  touch(buffer, *record, serial, locked);
  return {};
}

/// As if the user had asked to wait for the point.
void Preparation::come_after(std::optional<Point>& formed, Flight& flight, const Locked& locked) const {
  const auto& signal = Inside::signal(*formed);
  if (signal->timeline().status(formed->value()) == PointStatus::reached) return formed.reset();
  const QueueClock* const own = table_.clocks(locked).find(queue_);
  if (own != nullptr && own->timeline == signal) return;
  const auto is_it = [&](const Point& point) {
    return Inside::signal(point) == signal && point.value() == formed->value();
  };
  if (std::ranges::any_of(flight.waits, is_it)) return;
  flight.is_plain = false;
  flight.waits.push_back(*formed);
}

void Preparation::touch(std::uint64_t id, BufferRecord& record, std::uint64_t serial, const Locked& locked) {
  if (Stamp* const own = record.stamps.find(queue_)) {
    if (own->serial != serial) touched_.push_back({id, *own});
    own->serial = serial;
    return;
  }
  touched_.push_back({id, std::nullopt});
  record.stamps.reserve_one([&](const Stamp& stamp) { return table_.clocks(locked).is_finished(stamp); });
  record.stamps.set(queue_, serial);
}

void Preparation::stamp(Stamps& stamps, std::uint64_t serial, const Locked& locked) {
  const Stamp* const own = stamps.find(queue_);
  stamped_.push_back({&stamps, own != nullptr ? std::optional(*own) : std::nullopt});
  if (own == nullptr) stamps.reserve_one([&](const Stamp& stamp) { return table_.clocks(locked).is_finished(stamp); });
  stamps.set(queue_, serial);
}

void Preparation::roll_back(const Locked& locked) noexcept {
  for (auto each = touched_.rbegin(); each != touched_.rend(); ++each) {
    if (BufferRecord* const record = table_.find_any(each->buffer, locked))
      record->stamps.restore(queue_, each->before);
  }
  for (auto each = stamped_.rbegin(); each != stamped_.rend(); ++each) each->stamps->restore(queue_, each->before);
  forget();
}

Result<void> Preparation::use_imports(std::vector<backend::Command>& commands, Flight& flight, const Locked& locked) {
  const auto aliases = table_.aliases(locked);
  core::use_imports(commands, aliases);
  for (const backend::Command& command : commands) {
    const auto* const copy = std::get_if<backend::Copy>(&command.operation);
    if (copy == nullptr) continue;
    for (const backend::Range& range : {copy->to, copy->from}) {
      const auto alias = std::ranges::find(aliases, range.memory, &Alias::memory);
      if (alias == aliases.end()) continue;
      BufferRecord* const record = table_.find_any(alias->buffer, locked);  // it may have been destroyed
      if (record != nullptr) touch(alias->buffer, *record, flight.serial, locked);
      flight.is_lent |= record == nullptr || record->is_retired;  // the import goes with its last use
    }
  }
  return {};
}

}  // namespace pintle::core
