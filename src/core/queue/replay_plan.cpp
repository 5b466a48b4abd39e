#include "core/queue/replay_plan.h"

#include <algorithm>
#include <utility>

#include "kit/accesses.h"

namespace pintle::core {
namespace {

using backend::Command;
using backend::Commands;

// A recording of fewer commands costs as much as the commands themselves.
constexpr std::size_t least_run = 4;

bool is_in_slot(const backend::Argument& argument) noexcept {
  return argument.slot != backend::no_slot || argument.range.slot != backend::no_slot;
}

// Whether every replay does the command alike, and every backend that records can record it.
bool is_fixed(const Command& command, const Commands& list) noexcept {
  if (const auto* copy = std::get_if<backend::Copy>(&command.operation))
    return copy->to.slot == backend::no_slot && copy->from.slot == backend::no_slot;
  if (const auto* fill = std::get_if<backend::Fill>(&command.operation)) return fill->to.slot == backend::no_slot;
  const auto* exec = std::get_if<backend::Exec>(&command.operation);
  return exec != nullptr && std::ranges::none_of(list.of(*exec), is_in_slot);
}

// Each replay has its own runs of host functions, so these commands are submitted again.
bool calls_host(const Commands& list) noexcept {
  return std::ranges::any_of(list.commands, [](const Command& command) {
    return std::holds_alternative<backend::HostCall>(command.operation);
  });
}

}  // namespace

Result<ReplayPlan> ReplayPlan::create(backend::Device& device, const Commands& list) {
  ReplayPlan plan;
  if (!calls_host(list)) {
    const auto recorded = device.record(list);
    if (recorded) {
      plan.is_whole_ = true;
      plan.add_replay(*recorded);
      return plan;
    }
    if (recorded.error().code() != Errc::unsupported) return recorded.error();
  }
  if (const auto done = plan.split(device, list); !done) {
    plan.forget(device);
    return done.error();
  }
  return plan;
}

void ReplayPlan::forget(backend::Device& device) noexcept {
  for (const backend::RecordingId recording : std::exchange(recordings_, {})) device.forget(recording);
}

Result<void> ReplayPlan::split(backend::Device& device, const Commands& list) {
  const std::size_t count = list.commands.size();
  std::size_t begin = 0;
  while (begin < count) {
    std::size_t end = begin;
    while (end < count && is_fixed(list.commands[end], list)) ++end;
    PINTLE_TRY(add_run(device, list, begin, end));
    if (end < count) add(list.commands[end++], list);
    begin = end;
  }
  return {};
}

Result<void> ReplayPlan::add_run(backend::Device& device, const Commands& list, std::size_t begin, std::size_t end) {
  const auto run = list.commands.subspan(begin, end - begin);
  if (run.size() >= least_run && run.size() < list.commands.size()) {
    const auto recorded = device.record({run, list.arguments});
    if (recorded) {
      add_replay(*recorded);
      return {};
    }
    if (recorded.error().code() != Errc::unsupported) return recorded.error();
  }
  for (const Command& command : run) add(command, list);
  return {};
}

void ReplayPlan::add_replay(backend::RecordingId recording) {
  recordings_.push_back(recording);
  commands_.push_back({backend::Replay{recording, {}}, nullptr, false});
}

void ReplayPlan::add(const Command& command, const Commands& list) {
  Command added = command;
  if (backend::Exec* const exec = kit::exec_of(added)) {
    const auto arguments = list.of(*exec);
    exec->first_argument = static_cast<std::uint32_t>(arguments_.size());
    arguments_.insert(arguments_.end(), arguments.begin(), arguments.end());
  }
  commands_.push_back(std::move(added));
}

}  // namespace pintle::core
