#include "backends/vulkan/recording.h"

#include <algorithm>
#include <variant>

#include "backends/vulkan/recorder.h"
#include "kit/accesses.h"

namespace pintle::vulkan {
namespace {

/// What is the same at each replay.
bool is_fixed(const backend::Command& command, const backend::Commands& list) {
  const bool is_plain = std::holds_alternative<backend::Copy>(command.operation) ||
                        std::holds_alternative<backend::Fill>(command.operation) ||
                        std::holds_alternative<backend::Exec>(command.operation);
  bool has_slot = false;
  kit::for_each_range(command, list.arguments,
                      [&](const backend::Range& range, Access) { has_slot |= range.slot != backend::no_slot; });
  if (const auto* const exec = kit::exec_of(command))
    has_slot |= std::ranges::any_of(list.of(*exec), [](const auto& one) { return one.slot != backend::no_slot; });
  return is_plain && !has_slot;
}

}  // namespace

Result<backend::RecordingId> RecordingTable::record(const backend::Commands& list) {
  const auto fixed = [&](const backend::Command& command) { return is_fixed(command, list); };
  if (!std::ranges::all_of(list.commands, fixed)) {
    return Error(Errc::unsupported,
                 "Only lists without slots, host memory, host calls and timestamps are translated once.");
  }
  auto recording = std::make_unique<Recording>();
  recording->list = list;
  PINTLE_ASSIGN(slot, Slot::create(context_, staging_, context_.lane(QueueKind::compute), Slot::Level::replayed));
  recording->slot = std::move(slot);
  PINTLE_TRY(recording->slot->begin());
  Recorder recorder(context_, *recording->slot);
  PINTLE_TRY(recorder.record_commands(list));
  PINTLE_TRY(context_.check(context_.vk.EndCommandBuffer(recording->slot->commands()), "vkEndCommandBuffer"));
  recordings_.push_back(std::move(recording));
  return backend::RecordingId{reinterpret_cast<std::uintptr_t>(recordings_.back().get())};
}

void RecordingTable::forget(backend::RecordingId id) noexcept {
  std::erase_if(recordings_, [&](const auto& held) { return held.get() == &recording_of(id); });
}

}  // namespace pintle::vulkan
