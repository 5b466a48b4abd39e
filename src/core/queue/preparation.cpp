#include "core/queue/preparation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/inside.h"
#include "core/list/features.h"
#include "core/list/list_parts.h"
#include "core/queue/imported.h"
#include "kit/accesses.h"

namespace pintle::core {

// A list that is refused for its buffers is refused before any of them gets bytes of its own.
Result<void> Preparation::check_uses(const CommandList& list, const Locked& locked) const {
  const backend::Commands all = commands_of(list);
  Result<void> answer;
  for (const backend::Command& command : all.commands) {
    PINTLE_TRY(check_feature(command.operation, table_.life().info()));
    kit::for_each_range(command, all.arguments, [&](const backend::Range& range, Access access) {
      if (range.slot != backend::no_slot || !answer) return;
      const BufferRecord* const record = table_.find(range.buffer, locked);
      if (record == nullptr) answer = table_.stale(range.buffer);
      else if (record->is_sealed && writes(access)) answer = table_.sealed_refusal(range.buffer, locked);
    });
    if (!answer) return answer;
  }
  for (const std::uint64_t buffer : Inside::held(list))
    if (table_.find(buffer, locked) == nullptr) return table_.stale(buffer);
  return {};
}

Result<void> Preparation::look_at(const CommandList& list, bool is_held, const Locked& locked) {
  if (!table_.has_specials(locked)) return {};
  PINTLE_TRY(check_uses(list, locked));
  std::vector<std::pair<std::uint64_t, Access>> specials;
  const backend::Commands all = commands_of(list);
  for (const backend::Command& command : all.commands) {
    kit::for_each_range(command, all.arguments, [&](const backend::Range& range, Access access) {
      if (range.slot != backend::no_slot) return;
      if (!table_.find(range.buffer, locked)->is_special()) return;
      const auto known = std::ranges::find(specials, range.buffer, &std::pair<std::uint64_t, Access>::first);
      if (known == specials.end()) specials.emplace_back(range.buffer, access);
      else if (writes(access)) known->second = Access::read_write;
    });
  }
  for (const auto& [id, access] : specials) come_after(*table_.find(id, locked), access, locked);
  is_held |= !points_.empty();
  for (const auto& [id, access] : specials) look_at_special(id, *table_.find(id, locked), access, is_held, locked);
  return {};
}

Result<void> Preparation::look_at(std::uint64_t unshared, bool is_held, const Locked& locked) {
  BufferRecord* const record = table_.find(unshared, locked);
  if (record == nullptr) return table_.stale(unshared);
  if (!record->is_special()) return {};
  // A caller that knows where the bytes are must find them there. The other owners move when they write.
  if (record->is_pinned && record->shared != nullptr && !may_settle(*record, locked)) return {};
  if (record->shared != nullptr) come_after(record->formation, locked);  // no byte changes: it waits for nothing else
  look_at_special(unshared, *record, Access::write, is_held || !points_.empty(), locked);
  return {};
}

// A recording's memory must stay where it is, so its use counts as a read: no copy is made.
Result<void> Preparation::look_at_bound(std::uint64_t buffer, Access access, const Locked& locked) {
  BufferRecord* const record = table_.find(buffer, locked);
  if (record == nullptr) return table_.stale(buffer);
  if (!record->is_special()) return {};
  if (record->is_sealed && writes(access)) return table_.sealed_refusal(buffer, locked);
  if (record->shared != nullptr && writes(access) && !table_.settle(*record, locked))
    return table_.shared_refusal(buffer, locked);
  come_after(*record, access, locked);
  look_at_special(buffer, *record, Access::read, false, locked);
  return {};
}

void Preparation::look_at_special(std::uint64_t id, BufferRecord& record, Access access, bool is_held,
                                  const Locked& locked) {
  if (plan_of(id) != nullptr) return;
  if (record.is_lazy()) return want(id, record);
  if (record.shared == nullptr || !writes(access)) return;
  if (is_held) return apart_.push_back(id);
  if (!may_settle(record, locked)) return want(id, record);
  plans_.push_back({.buffer = id, .kind = Kind::settle});
}

void Preparation::come_after(BufferRecord& record, Access access, const Locked& locked) {
  come_after(record.formation, locked);
  if (!writes(access)) return;
  record.copied_by.forget([&](const Stamp& stamp) { return table_.clocks(locked).is_finished(stamp); });
  for (const Stamp& copy : record.copied_by) {
    Formation last{copy.queue, copy.serial};
    come_after(last, locked);
  }
}

/// Waits by its point for a formation that has not started. For any other, `wait_for` lets the backend wait.
void Preparation::come_after(Formation& formation, const Locked& locked) {
  if (formation.queue == 0) return;
  const auto awaited = table_.clocks(locked).unfinished(formation.queue, formation.serial);
  if (!awaited) formation = {};
  else if (formation.queue != queue_ && !awaited->is_native()) points_.push_back(awaited->point());
}

/// Plans the change with memory that is there; otherwise asks for that memory.
void Preparation::want(std::uint64_t id, const BufferRecord& record) {
  const auto spare = std::ranges::find(spares_, id, &Spare::buffer);
  if (spare == spares_.end()) {
    wanted_.push_back({id, record.size, record.alignment, record.placement});
    return;
  }
  plans_.push_back({.buffer = id, .kind = record.is_lazy() ? Kind::fill : Kind::copy, .memory = spare->memory});
  spares_.erase(spare);
}

/// Whether the last owner may write in place. It may not where the bytes belong to somebody else, or where a submission
/// that has not started will read them: that submission could wait for this one.
bool Preparation::may_settle(const BufferRecord& record, const Locked& locked) const {
  if (record.shared->owners > 1 || record.shared->origin.is_foreign) return false;
  bool may = are_ordered(record.copied_by, locked);
  table_.for_each_retired(
      [&](const BufferRecord& other) {
        if (other.shared != record.shared) return;
        may &= !other.is_lent();  // uses by another device leave no stamps
        may &= are_ordered(other.stamps, locked);
      },
      locked);
  return may;
}

/// Work that has started and still reads the bytes. The submission that settles comes after it, and so do later ones: a
/// submission of another queue may write another part.
Stamps Preparation::readers_of(const BufferRecord& record, const Locked& locked) const {
  Stamps readers = record.copied_by;
  table_.for_each_retired(
      [&](const BufferRecord& other) {
        if (other.shared == record.shared) readers.merge(other.stamps);
      },
      locked);
  readers.forget([&](const Stamp& stamp) { return table_.clocks(locked).is_finished(stamp); });
  return readers;
}

/// Whether a submission that the backend gets now can come after these uses.
bool Preparation::are_ordered(const Stamps& stamps, const Locked& locked) const {
  return std::ranges::all_of(stamps, [&](const Stamp& stamp) {
    return stamp.queue == queue_ || table_.clocks(locked).is_finished(stamp) ||
           table_.clocks(locked).is_native(stamp.queue, stamp.serial);
  });
}

Preparation::Plan* Preparation::plan_of(std::uint64_t id) noexcept {
  const auto found = std::ranges::find(plans_, id, &Plan::buffer);
  return found == plans_.end() ? nullptr : &*found;
}

Result<void> Preparation::resolve(CommandList& list, Flight& flight, const Locked& locked) {
  for (Plan& plan : plans_) PINTLE_TRY(carry_out(plan, flight, locked));
  auto& commands = Inside::commands(list);
  auto& arguments = Inside::arguments(list);
  Result<void> answer;
  for (backend::Command& command : commands) {
    PINTLE_TRY(check_feature(command.operation, table_.life().info()));
    kit::for_each_range(command, std::span(arguments), [&](backend::Range& range, Access access) {
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
  PINTLE_TRY(table_.check_texels(arguments, locked));
  for (const std::uint64_t buffer : Inside::held(list)) PINTLE_TRY(use(buffer, Access::read, flight, locked));
  commands.insert(commands.begin(), copies_.begin(), copies_.end());
  copies_.clear();
  return {};
}

Result<backend::Range> Preparation::use(std::uint64_t buffer, Access access, Flight& flight, const Locked& locked) {
  BufferRecord* const record = table_.find(buffer, locked);
  if (record == nullptr) return table_.stale(buffer);
  touch(buffer, *record, access, flight.serial, locked);
  if (!record->is_special()) return backend::Range{record->memory, buffer, record->base, record->size};
  wait_for(record->formation, flight, locked);
  if (writes(access)) wait_for(record->copied_by, flight, locked);
  const Plan* const plan = plan_of(buffer);
  if (plan == nullptr || plan->kind == Kind::settle)
    return backend::Range{record->memory, buffer, record->base, record->size};
  return backend::Range{plan->memory, buffer, 0, record->size};
}

void Preparation::touch(std::uint64_t id, BufferRecord& record, Access access, std::uint64_t serial,
                        const Locked& locked) {
  if (Stamp* const own = record.stamps.find(queue_)) {
    if (own->serial != serial) touched_.push_back({id, *own});
    own->serial = serial;
    if (writes(access)) own->written = serial;
    return;
  }
  touched_.push_back({id, std::nullopt});
  record.stamps.reserve_one([&](const Stamp& stamp) { return table_.clocks(locked).is_finished(stamp); });
  record.stamps.set(queue_, serial, writes(access));
}

/// Marks a use of imported memory, whose buffer may have been destroyed.
void Preparation::touch_any(std::uint64_t id, Access access, std::uint64_t serial, const Locked& locked) {
  if (BufferRecord* const record = table_.find_any(id, locked)) touch(id, *record, access, serial, locked);
}

void Preparation::stamp(Stamps& stamps, std::uint64_t serial, const Locked& locked) {
  const Stamp* const own = stamps.find(queue_);
  stamped_.push_back({&stamps, own != nullptr ? std::optional(*own) : std::nullopt});
  if (own == nullptr) stamps.reserve_one([&](const Stamp& stamp) { return table_.clocks(locked).is_finished(stamp); });
  stamps.set(queue_, serial);
}

void Preparation::wait_for(const Stamps& stamps, Flight& flight, const Locked& locked) const {
  for (const Stamp& stamp : stamps) wait_for(Formation{stamp.queue, stamp.serial}, flight, locked);
}

void Preparation::wait_for(const Formation& formation, Flight& flight, const Locked& locked) const {
  if (formation.queue == 0 || formation.queue == queue_) return;
  const auto awaited = table_.clocks(locked).unfinished(formation.queue, formation.serial);
  if (!awaited) return;
  flight.is_plain = false;
  flight.after.push_back({formation.queue, awaited->serial, 0});
}

/// Waits for uses of the bytes by owners that have gone or have other bytes now.
void Preparation::wait_for_remains(const BufferRecord& record, Flight& flight, const Locked& locked) const {
  table_.for_each_retired(
      [&](const BufferRecord& other) {
        if (other.shared == record.shared) wait_for(other.stamps, flight, locked);
      },
      locked);
}

Result<void> Preparation::carry_out(Plan& plan, Flight& flight, const Locked& locked) {
  BufferRecord* record = table_.find(plan.buffer, locked);
  if (plan.kind == Kind::fill || plan.remains != 0) return {};
  flight.is_plain = false;
  wait_for(record->shared->formation, flight, locked);
  if (plan.kind == Kind::settle) {
    wait_for_remains(*record, flight, locked);
    wait_for(record->copied_by, flight, locked);
    plan.stamps = readers_of(*record, locked);
    touch(plan.buffer, *record, Access::write, flight.serial, locked);  // so that no fork shares the bytes meanwhile
    return {};
  }
  siblings_.reserve_redirection(plan.buffer, plan.stamps, locked);
  plan.stamps.reserve_one([](const Stamp&) { return false; });
  plan.stamps.set(queue_, flight.serial);
  const backend::Range to{plan.memory, plan.buffer, 0, record->size, backend::no_slot};
  const backend::Range from{record->memory, plan.buffer, record->base, record->size, backend::no_slot};
  copies_.push_back({.operation = backend::Copy{to, from}});
  touch(plan.buffer, *record, Access::read, flight.serial, locked);
  const auto [remains, place] = table_.make(locked);
  place->is_retired = true;
  plan.remains = remains;
  return {};
}

void Preparation::commit(Worklist& worklist, const Locked& locked) noexcept {
  for (Plan& plan : plans_) apply(plan, locked);
  if (!plans_.empty()) {
    plans_.clear();
    table_.dispose_finished(worklist, locked);
  }
  forget();
}

/// The buffer may have been destroyed meanwhile. Its record stays as long as the stamps that it has got.
void Preparation::apply(Plan& plan, const Locked& locked) noexcept {
  BufferRecord& record = table_.any(plan.buffer, locked);
  if (plan.kind == Kind::fill) {
    record.memory = plan.memory;
    return;
  }
  SharedBytes& shared = *record.shared;
  if (plan.kind == Kind::settle) {
    shared.is_taken = true;
    record.origin = std::move(shared.origin);
    record.shared.reset();
    record.copied_by = std::move(plan.stamps);
    return;
  }
  const Stamp by{queue_, plan.stamps.find(queue_)->serial, 0};
  const Stamp last = *record.stamps.find(queue_);  // a later piece may have set it
  siblings_.redirect({plan.buffer, record.memory, record.base, plan.memory, by}, locked);
  BufferRecord& remains = table_.any(plan.remains, locked);
  remains.memory = record.memory;
  remains.base = record.base;
  remains.size = record.size;
  remains.stamps = std::move(record.stamps);
  remains.shared = std::move(record.shared);
  if (!record.is_retired) --shared.owners;
  record.memory = plan.memory;
  record.base = 0;
  record.stamps = std::move(plan.stamps);
  record.stamps.set(queue_, last.serial, last.written != 0);
  record.formation = {by.queue, by.serial};
  table_.adopt_retired(plan.remains, locked);
}

void Preparation::roll_back(const Locked& locked) noexcept {
  for (auto each = touched_.rbegin(); each != touched_.rend(); ++each) {
    if (BufferRecord* const record = table_.find_any(each->buffer, locked))
      record->stamps.restore(queue_, each->before);
  }
  for (auto each = stamped_.rbegin(); each != stamped_.rend(); ++each) each->stamps->restore(queue_, each->before);
  for (Plan& plan : plans_) {
    if (plan.remains != 0) table_.drop(plan.remains, locked);
    if (plan.memory != backend::MemoryId::none) spares_.push_back({plan.buffer, plan.memory});
  }
  plans_.clear();
  copies_.clear();
  points_.clear();
  wanted_.clear();
  apart_.clear();
  forget();
}

void Preparation::add_spare(std::uint64_t buffer, Unowned& memory) {
  spares_.reserve(spares_.size() + 1 + plans_.size());  // so that rolling back needs no memory
  spares_.push_back({buffer, memory.take()});
}

Preparation::~Preparation() {
  for (const Spare& spare : spares_) Unowned(table_.life(), spare.memory);
}

Result<void> Preparation::use_imports(std::vector<backend::Command>& commands, Flight& flight, const Locked& locked) {
  const auto aliases = table_.aliases(locked);
  core::use_imports(commands, aliases);
  for (const backend::Command& command : commands) {
    const auto* const copy = std::get_if<backend::Copy>(&command.operation);
    if (copy == nullptr) continue;
    for (const auto& [range, access] : {std::pair(copy->to, Access::write), std::pair(copy->from, Access::read)}) {
      const auto alias = std::ranges::find(aliases, range.memory, &Alias::memory);
      if (alias == aliases.end()) continue;
      touch_any(alias->buffer, access, flight.serial, locked);
      flight.is_lent |= table_.find(alias->buffer, locked) == nullptr;  // the import goes with its last use
    }
  }
  return {};
}

}  // namespace pintle::core
