#include "core/queue/recording_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/inside.h"
#include "core/door/describe.h"
#include "core/list/hazards.h"
#include "core/list/list_state.h"
#include "core/list/slot_rules.h"
#include "core/queue/imported.h"
#include "kit/accesses.h"
#include "kit/bound.h"

namespace pintle::core {

RecordingState::RecordingState(std::shared_ptr<BufferTable> table, CommandList list, std::string text)
    : table_(std::move(table)), owner_(std::move(list)), list_(state_of(owner_)), text_(std::move(text)) {}

Result<void> RecordingState::freeze(const Locked& locked) {
  auto& commands = list_.commands;
  auto& arguments = list_.arguments;
  uses_ = buffer_uses(commands, arguments);
  launches_ = has_launches(commands);
  if (list_.needs_features) PINTLE_TRY(list_.check_features(table_->life().info()));
  for (const auto& [buffer, access] : uses_) {
    const BufferRecord* const record = table_->find(buffer, locked);
    if (record == nullptr) return table_->stale(buffer);
    if (record->is_sealed && writes(access)) return table_->sealed_refusal(buffer, locked);
  }
  for (backend::Command& command : commands) {
    kit::for_each_range(command, std::span(arguments), [&](backend::Range& range, Access) {
      if (range.slot != backend::no_slot) return;
      const BufferRecord& record = *table_->find(range.buffer, locked);
      range.memory = record.memory;
      range.offset += record.base;
    });
  }
  PINTLE_TRY(table_->check_texels(arguments, locked));
  use_imports(commands, table_->aliases(locked));
  place_barriers(commands, arguments, table_->aliases(locked));
  demands_ = slot_demands(commands, arguments, table_->life().info().limits);
  return {};
}

Result<void> RecordingState::plan(const Turn&) {
  PINTLE_ASSIGN(plan, ReplayPlan::create(table_->life().device(), list_.all()));
  plan_ = std::move(plan);
  return {};
}

void RecordingState::forget(const Turn&) noexcept { plan_.forget(table_->life().device()); }

Result<void> RecordingState::bind(Preparation& preparation, Flight& flight, std::span<const SlotValue> bindings,
                                  const Locked& locked) {
  if (bindings.size() != slots()) {
    return invalid(fmt::format("Bindings ({}) do not match the slots ({}) of {}.", bindings.size(), slots(), text_));
  }
  if (slots() != 0) PINTLE_TRY(bind_slots(preparation, flight, bindings, locked));
  Result<void> refusal;
  for (const auto& [buffer, access] : uses_) {
    if (preparation.use(buffer, access, flight, refusal) == nullptr) return refusal;
  }
  preparation.stamp(stamps_, flight.serial);
  compose(flight, locked);
  return {};
}

Result<void> RecordingState::bind_slots(Preparation& preparation, Flight& flight, std::span<const SlotValue> bindings,
                                        const Locked& locked) const {
  flight.bindings.reserve(slots());
  for (std::uint32_t slot = 0; slot < slots(); ++slot) {
    auto binding = bind_slot(preparation, flight, slot, bindings[slot]);
    if (!binding) return binding.error().during(fmt::format("checking slot {}", slot));
    flight.bindings.push_back(*binding);
  }
  for (const SlotShape& shape : list_.slot_shapes) PINTLE_TRY(check_shape(shape, list_.arguments, flight.bindings));
  return check_copies(flight.bindings, locked);
}

// Uses the backend's own replay with bindings, the plan, or a copy of the plan with the slots filled in. The barriers
// were placed without the imported bytes that these bindings may touch: then the whole list is composed again.
void RecordingState::compose(Flight& flight, const Locked& locked) const {
  const bool is_apart = touches_imports(flight.bindings, locked);
  const backend::Commands all = is_apart ? list_.all() : plan_.commands();
  const bool has_runs = !list_.host_runs.empty();
  if (slots() == 0 && !has_runs && !is_apart) {
    flight.commands = all;
    return;
  }
  flight.replay.assign(all.commands.begin(), all.commands.end());
  flight.arguments.assign(all.arguments.begin(), all.arguments.end());
  if (has_runs) give_runs(flight);
  if (plan_.is_whole() && !is_apart)
    std::get_if<backend::Replay>(&flight.replay[0].operation)->bindings = flight.bindings;
  else fill_slots(flight.replay, flight.arguments, flight.bindings);
  if (is_apart) {
    use_imports(flight.replay, table_->aliases(locked));
    place_barriers(flight.replay, flight.arguments, table_->aliases(locked));
  }
  flight.commands = {flight.replay, flight.arguments};
}

bool RecordingState::touches_imports(std::span<const backend::Binding> bindings, const Locked& locked) const {
  const auto aliases = table_->aliases(locked);
  if (aliases.empty()) return false;
  return std::ranges::any_of(bindings, [&](const backend::Binding& binding) {
    if (const auto* const range = std::get_if<backend::Range>(&binding))
      return std::ranges::find(aliases, range->memory, &Alias::memory) != aliases.end();
    return std::holds_alternative<backend::HostSource>(binding) || std::holds_alternative<backend::HostTarget>(binding);
  });
}

// Every replay has its own runs of the functions.
void RecordingState::give_runs(Flight& flight) const {
  const auto& functions = list_.host_runs;
  flight.has_more = true;
  flight.runs = std::make_unique<HostRun[]>(functions.size());
  flight.run_count = functions.size();
  std::size_t next = 0;
  for (backend::Command& command : flight.replay) {
    auto* const call = std::get_if<backend::HostCall>(&command.operation);
    if (call == nullptr) continue;
    HostRun& run = flight.runs[next++];
    run.set(static_cast<HostRun*>(call->state)->function());
    call->state = &run;
  }
}

Result<backend::Binding> RecordingState::bind_slot(Preparation& preparation, Flight& flight, std::uint32_t slot,
                                                   const SlotValue& value) const {
  PINTLE_ASSIGN(binding, to_binding(value));
  for (const SlotRule& rule : demands_.rules) {
    if (rule.slot == slot) PINTLE_TRY(check_rule(rule, binding, dtype_of_value(value)));
  }
  if (auto* const range = std::get_if<backend::Range>(&binding)) {
    Result<void> refusal;
    const BufferRecord* const record = preparation.use(range->buffer, demands_.accesses[slot], flight, refusal);
    if (record == nullptr) return refusal.error();
    range->memory = record->memory;
    range->offset += record->base;
  }
  return binding;
}

Result<backend::Binding> RecordingState::to_binding(const SlotValue& value) const {
  if (const auto* scalar = std::get_if<ScalarValue>(&Inside::value(value))) return backend::Binding(scalar->bytes);
  if (const auto* source = std::get_if<std::span<const std::byte>>(&Inside::value(value))) {
    if (source->data() == nullptr) return null_memory(source->size());
    return backend::Binding(backend::HostSource{source->data(), source->size()});
  }
  if (const auto* target = std::get_if<std::span<std::byte>>(&Inside::value(value))) {
    if (target->data() == nullptr) return null_memory(target->size());
    return backend::Binding(backend::HostTarget{target->data(), target->size()});
  }
  const auto& view = std::get<BufferView>(Inside::value(value));
  const Life& life = table_->life();
  if (Inside::incarnation(view) != life.number())
    return life.check_owner(Inside::incarnation(view), BufferRecord().text(Inside::buffer(view))).error();
  return backend::Binding(
      backend::Range{backend::MemoryId::none, Inside::buffer(view), view.offset_bytes(), view.size_bytes()});
}

std::optional<DType> RecordingState::dtype_of_value(const SlotValue& value) {
  if (const auto* view = std::get_if<BufferView>(&Inside::value(value))) return view->dtype();
  if (const auto* scalar = std::get_if<ScalarValue>(&Inside::value(value))) return scalar->dtype;
  return std::nullopt;
}

Result<void> RecordingState::check_copies(std::span<const backend::Binding> bindings, const Locked& locked) const {
  for (const SlotCopy& copy : demands_.copies) {
    const backend::Range to = kit::bound(copy.to, copy.to.slot, bindings);
    const backend::Range from = kit::bound(copy.from, copy.from.slot, bindings);
    if (to.size != from.size) {
      return invalid(fmt::format("The copy's destination has size ({}), its source size ({}).", to.size, from.size));
    }
    if (overlap(to, from)) {
      const std::uint64_t base = table_->find(to.buffer, locked)->base;
      return invalid(fmt::format("The copy's destination ({}, {} bytes) overlaps its source ({}) in {}.",
                                 to.offset - base, to.size, from.offset - base, table_->text(to.buffer, locked)));
    }
  }
  return {};
}

}  // namespace pintle::core
