#include "core/queue/recording_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/device/incarnation.h"
#include "core/door/object_names.h"
#include "core/list/hazards.h"
#include "core/list/slot_rules.h"

namespace pintle::core {

RecordingState::RecordingState(std::shared_ptr<Incarnation> incarnation, CommandList list, std::string text)
    : incarnation_(std::move(incarnation)), list_(std::move(list)), text_(std::move(text)) {}

Result<void> RecordingState::freeze() {
  PINTLE_TRY(incarnation_->resolve(list_, nullptr));
  place_barriers(list_.commands_, list_.arguments_);
  rules_ = slot_rules(list_.commands_, list_.arguments_, incarnation_->info().limits);
  copies_ = slot_copies(list_.commands_);
  buffers_ = buffers_of(list_.commands_, list_.arguments_);
  launches_ = has_launches(list_.commands_);
  for (const SlotRule& rule : rules_) slots_ = std::max<std::size_t>(slots_, rule.slot + 1);
  written_ = written_buffers_of(list_.commands_, list_.arguments_);
  slot_accesses_ = slot_accesses(list_.commands_, list_.arguments_, slots_);
  PINTLE_ASSIGN(plan, ReplayPlan::make(incarnation_->device(), {list_.commands_, list_.arguments_}));
  plan_ = std::move(plan);
  return {};
}

void RecordingState::forget() noexcept { plan_.forget(incarnation_->device()); }

Result<void> RecordingState::bind(QueueState& queue, Flight& flight, std::span<const SlotValue> bindings) {
  if (&queue.incarnation() != incarnation_.get()) return incarnation_->foreign(text_, queue.incarnation());
  if (launches_ && !queue.launches()) return queue.launch_refusal();
  if (bindings.size() != slots_) {
    return Error(Errc::invalid_argument,
                 fmt::format("Bindings ({}) do not match the slots ({}) of {}.", bindings.size(), slots_, text_));
  }
  for (const std::uint64_t buffer : buffers_) {
    if (incarnation_->find_buffer(buffer) == nullptr) return incarnation_->stale_buffer(buffer);
  }
  if (incarnation_->has_specials()) PINTLE_TRY(check_written());
  if (slots_ != 0) PINTLE_TRY(bind_slots(flight, bindings));
  for (const std::uint64_t buffer : buffers_)
    incarnation_->find_buffer(buffer)->stamps.set(queue.number(), flight.serial);
  for (const backend::Binding& binding : flight.bindings) {
    if (const auto* range = std::get_if<backend::Range>(&binding)) {
      incarnation_->find_buffer(range->buffer)->stamps.set(queue.number(), flight.serial);
    }
  }
  stamps_.set(queue.number(), flight.serial);
  compose(flight);
  return {};
}

Result<void> RecordingState::check_written() const {
  for (const std::uint64_t buffer : written_) PINTLE_TRY(incarnation_->check_bound(buffer, Access::write));
  return {};
}

Result<void> RecordingState::bind_slots(Flight& flight, std::span<const SlotValue> bindings) const {
  for (std::uint32_t slot = 0; slot < slots_; ++slot) {
    auto binding = bind_slot(slot, bindings[slot]);
    if (!binding) return binding.error().during(fmt::format("checking slot {}", slot));
    flight.bindings.push_back(*binding);
  }
  return check_copies(flight.bindings);
}

// The backend's own replay with bindings, the plan, or a copy of it with the slots filled in.
void RecordingState::compose(Flight& flight) const {
  if (!list_.host_functions_.empty()) {
    flight.is_plain = false;
    flight.recording = this;
  }
  const backend::Commands replay = plan_.commands();
  if (slots_ == 0) {
    flight.commands = replay;
  } else {
    flight.replay.assign(replay.commands.begin(), replay.commands.end());
    flight.arguments.assign(replay.arguments.begin(), replay.arguments.end());
    if (plan_.is_whole()) std::get_if<backend::Replay>(&flight.replay[0].operation)->bindings = flight.bindings;
    else fill_slots(flight.replay, flight.arguments, flight.bindings);
    flight.commands = {flight.replay, flight.arguments};
  }
}

Result<backend::Binding> RecordingState::bind_slot(std::uint32_t slot, const SlotValue& value) const {
  PINTLE_ASSIGN(binding, to_binding(value));
  for (const SlotRule& rule : rules_) {
    if (rule.slot == slot) PINTLE_TRY(check_rule(rule, binding, dtype_of_value(value)));
  }
  if (auto* const range = std::get_if<backend::Range>(&binding)) PINTLE_TRY(place(*range, slot));
  return binding;
}

// From the buffer's begin to its memory's.
Result<void> RecordingState::place(backend::Range& range, std::uint32_t slot) const {
  PINTLE_TRY(incarnation_->check_bound(range.buffer, slot_accesses_[slot]));
  const BufferRecord& record = *incarnation_->find_buffer(range.buffer);
  range.memory = record.memory;
  range.offset += record.base;
  return {};
}

Result<backend::Binding> RecordingState::to_binding(const SlotValue& value) const {
  if (const auto* scalar = std::get_if<ScalarValue>(&value.value_)) return backend::Binding(scalar->bytes);
  if (const auto* source = std::get_if<std::span<const std::byte>>(&value.value_)) {
    return backend::Binding(backend::HostSource{source->data(), source->size()});
  }
  if (const auto* target = std::get_if<std::span<std::byte>>(&value.value_)) {
    return backend::Binding(backend::HostTarget{target->data(), target->size()});
  }
  const auto& view = std::get<BufferView>(value.value_);
  PINTLE_TRY(incarnation_->check_owner(view.incarnation_,
                                       object_text("Buffer", static_cast<std::uint32_t>(view.buffer_), "")));
  return backend::Binding(backend::Range{backend::MemoryId::none, view.buffer_, view.offset_, view.size_});
}

std::optional<DType> RecordingState::dtype_of_value(const SlotValue& value) {
  if (const auto* view = std::get_if<BufferView>(&value.value_)) return view->dtype();
  if (const auto* scalar = std::get_if<ScalarValue>(&value.value_)) return scalar->dtype;
  return std::nullopt;
}

Result<void> RecordingState::check_copies(std::span<const backend::Binding> bindings) const {
  for (const SlotCopy& copy : copies_) {
    const backend::Range to = bound(copy.to, bindings);
    const backend::Range from = bound(copy.from, bindings);
    if (to.size != from.size) {
      return Error(Errc::invalid_argument,
                   fmt::format("The copy's destination has size ({}), its source size ({}).", to.size, from.size));
    }
    if (overlap(to, from)) {
      const std::uint64_t base = incarnation_->find_buffer(to.buffer)->base;
      return Error(
          Errc::invalid_argument,
          fmt::format("The copy's destination ({}, {} bytes) overlaps its source ({}) in {}.", to.offset - base,
                      to.size, from.offset - base, incarnation_->buffer_text_locked(to.buffer)));
    }
  }
  return {};
}

}  // namespace pintle::core
