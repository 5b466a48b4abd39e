// Recordings: lists with slots, and what a replay makes of them.
#include <algorithm>
#include <utility>

#include "model.h"

namespace pintle::differential {

// A recording keeps no host memory of others, and knows one device.
bool Model::check_recorded(const Command& command) const {
  switch (command.op) {
    case Op::download: return command.slot_host >= 0;
    case Op::upload:
    case Op::keep: return true;
    case Op::receive:
    case Op::pull:
    case Op::push:
    case Op::latch: return false;
    default: return true;
  }
}

bool Model::record(const Step& step) {
  if (!has_device(step.device) || recordings_.contains(step.recording)) return false;
  if (check_all(step.commands, step.device, true) != Verdict::fine) return false;
  for (const Command& command : step.commands) {
    if (!check_recorded(command)) return false;
    if (command.host >= 0 && (command.op == Op::call || command.op == Op::blow) && calls_.contains(command.host))
      return false;
    for (const auto& [window, slot] :
         {std::pair(command.to, command.slot_to), std::pair(command.from, command.slot_from)}) {
      if (window.buffer < 0) continue;
      const BufferState& buffer = buffers_.at(window.buffer);
      if (buffer.device != step.device) return false;
    }
  }
  for (const Command& command : step.commands)
    if (command.op == Op::call || command.op == Op::blow) calls_[command.host] = {};
  recordings_[step.recording] = {.device = step.device, .commands = step.commands, .nodes = {}};
  return true;
}

// The recording's commands with what the replay puts into the slots.
Model::Verdict Model::bind(const Step& step, std::vector<Command>& commands) const {
  const RecordingState& recording = recordings_.at(step.recording);
  if (recording.device != queues_.at(step.queue).device) return Verdict::undefined;
  commands = recording.commands;
  int slots = 0;
  for (const Command& command : commands)
    slots = std::max({slots, command.slot_to + 1, command.slot_from + 1, command.slot_a + 1, command.slot_host + 1});
  bool fits = slots == static_cast<int>(step.bindings.size());
  for (const Binding& binding : step.bindings)
    fits = fits && (binding.window.buffer < 0 || buffers_.contains(binding.window.buffer));
  if (!fits) return Verdict::undefined;
  const auto at = [&](int slot) -> const Binding& {
    static const Binding none;
    fits = fits && slot < static_cast<int>(step.bindings.size());
    return fits ? step.bindings[static_cast<std::size_t>(slot)] : none;
  };
  Verdict answer = Verdict::fine;
  for (Command& command : commands) {
    for (const auto& [window, slot] :
         {std::pair(&command.to, command.slot_to), std::pair(&command.from, command.slot_from)}) {
      if (slot < 0) continue;
      const Window bound = at(slot).window;
      fits = fits && bound.count == window->count;
      *window = bound;
      const auto buffer = buffers_.find(bound.buffer);
      fits = fits && buffer != buffers_.end() && buffer->second.device == recording.device;
      if (!fits) return Verdict::undefined;
    }
    if (command.slot_a >= 0) command.a = at(command.slot_a).scalar;
    if (command.slot_host >= 0) command.host = at(command.slot_host).host;
    if (!fits) return Verdict::undefined;
    const bool is_new = command.op != Op::download ||
                        !(download_nodes_.contains(command.host) || bytes_.downloads().contains(command.host));
    if (!is_new) return Verdict::undefined;
  }
  answer = check_all(commands, recording.device, true);
  return answer;
}

bool Model::replay(const Step& step) {
  const auto found = recordings_.find(step.recording);
  if (found == recordings_.end() || !found->second.alive || !takes(step.queue)) return false;
  RecordingState& recording = found->second;
  std::vector<Command> commands;
  if (bind(step, commands) != Verdict::fine) return false;
  const bool counts = std::ranges::any_of(commands, [](const Command& command) { return command.op == Op::blow; });
  if (counts && !recording.nodes.empty()) {  // a call that throws at a certain run needs runs in a certain order
    const int before = recording.nodes.back();
    if (order_.queue_of(before) != queues_.at(step.queue).order && !order_.knows(before)) return false;
  }
  const auto runs =
      std::ranges::count_if(recording.nodes, [&](int node) { return order_.fate(node) != Fate::dropped; });
  if (!enter(step, commands, counts && throws(commands, static_cast<std::size_t>(runs)))) return false;
  recording.nodes.push_back(nodes_.at(step.node));
  return true;
}

}  // namespace pintle::differential
