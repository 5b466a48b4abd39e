// Lists: what their commands may name, and what they do.
#include <algorithm>
#include <utility>

#include "model.h"

namespace pintle::differential {
namespace {

bool is_kernel(Op op) { return op == Op::add_to || op == Op::affine || op == Op::gather; }
bool writes_image(Op op) { return op == Op::to_image || op == Op::paint; }
bool reads_image(Op op) { return op == Op::from_image || op == Op::paint; }
bool has_to(Op op) { return op <= Op::keep || op == Op::push; }
bool has_from(Op op) {
  return op == Op::copy || op == Op::add_to || op == Op::gather || op == Op::to_image || op == Op::from_image ||
         op == Op::paint || op == Op::download || op == Op::receive || op == Op::pull;
}
/// Whole rows of an image, or a part of one.
bool is_rows(const Window& window, std::uint32_t width) {
  const std::uint32_t x = window.first % width;
  return x + window.count <= width || (x == 0 && window.count % width == 0);
}
bool overlap(const Window& a, const Window& b) { return a.first < b.first + b.count && b.first < a.first + a.count; }

}  // namespace

Model::Verdict Model::check_window(const Window& window, bool writes, bool is_image) const {
  const auto found = buffers_.find(window.buffer);
  if (found == buffers_.end() || window.count == 0) return Verdict::undefined;
  const BufferState& buffer = found->second;
  if ((buffer.width != 0) != is_image || (is_image && !is_rows(window, buffer.width))) return Verdict::undefined;
  if (window.first + window.count > buffer.count || is_gone(buffer.device)) return Verdict::undefined;
  if (!buffer.alive || (writes && buffer.sealed)) return Verdict::refused;
  return Verdict::fine;
}

bool Model::check_call(const Command& command, int device, bool in_recording) const {
  const Ability& ability = devices_[static_cast<std::size_t>(device)];
  switch (command.op) {
    case Op::barrier: return true;
    case Op::pause: return ability.calls && command.a <= 1000;
    case Op::call: return ability.calls && command.host >= 0 && (in_recording || !calls_.contains(command.host));
    case Op::latch: return ability.latches && !in_recording;
    default:
      return ability.calls && command.host >= 0 && (in_recording || (command.a == 0 && !calls_.contains(command.host)));
  }
}

// One command of a list for a queue of the device. A slot counts as what its window says.
Model::Verdict Model::check(const Command& command, int device) const {
  Verdict answer = Verdict::fine;
  const auto add = [&](Verdict found) { answer = std::max(answer, found); };
  if (has_to(command.op)) add(check_window(command.to, true, writes_image(command.op)));
  if (has_from(command.op)) add(check_window(command.from, false, reads_image(command.op)));
  if (answer == Verdict::undefined) return answer;
  const auto device_of = [&](const Window& window) { return buffers_.at(window.buffer).device; };
  const bool two = has_to(command.op) && has_from(command.op);
  bool there = false, here = true;
  for (const Window* window :
       {has_to(command.op) ? &command.to : nullptr, has_from(command.op) ? &command.from : nullptr}) {
    if (window == nullptr) continue;
    (device_of(*window) == device ? there : here) = device_of(*window) == device;
  }
  if (!here && !(command.op == Op::copy && there)) return Verdict::undefined;
  const std::uint32_t alignment = devices_[static_cast<std::size_t>(device)].alignment;
  if (is_kernel(command.op) && (command.to.first % alignment != 0 || (two && command.from.first % alignment != 0)))
    return Verdict::undefined;
  if (two) {
    if (command.to.count != command.from.count) return command.op == Op::copy ? Verdict::refused : Verdict::undefined;
    if (buffers_.at(command.to.buffer).storage == buffers_.at(command.from.buffer).storage &&
        overlap(command.to, command.from))
      return Verdict::undefined;
  }
  if (command.op == Op::paint) {
    const BufferState& to = buffers_.at(command.to.buffer);
    const BufferState& from = buffers_.at(command.from.buffer);
    if (command.to.count != to.count || to.count != from.count || to.width != from.width ||
        command.to.buffer == command.from.buffer)
      return Verdict::undefined;
  }
  if (command.op == Op::pull || command.op == Op::push) {
    const auto block = buffers_.find(command.host);
    if (block == buffers_.end() || !block->second.imported || block->second.over_file ||
        (command.op == Op::pull && block->second.sealed))
      return Verdict::undefined;
    const Window& window = command.op == Op::pull ? command.from : command.to;
    if (window.count != block->second.count || window.buffer == command.host) return Verdict::undefined;
  }
  return answer;
}

Model::Verdict Model::check_all(const std::vector<Command>& commands, int device, bool in_recording) const {
  Verdict answer = Verdict::fine;
  std::vector<int> numbers;
  for (const Command& command : commands) {
    if (!has_to(command.op) && !has_from(command.op)) {
      if (!check_call(command, device, in_recording)) return Verdict::undefined;
      if (command.op == Op::call || command.op == Op::blow) numbers.push_back(command.host);
    } else {
      answer = std::max(answer, check(command, device));
    }
    if (!in_recording && command.slot_to >= 0) answer = std::max(answer, Verdict::refused);
    if ((command.op == Op::download || command.op == Op::receive) && !in_recording) {
      if (download_nodes_.contains(command.host) || bytes_.downloads().contains(command.host))
        return Verdict::undefined;
    }
  }
  std::ranges::sort(numbers);
  if (std::ranges::adjacent_find(numbers) != numbers.end()) return Verdict::undefined;
  return check_latches(commands) ? answer : Verdict::undefined;
}

bool Model::is_slow(const Command& command, int device) const {
  if (command.op == Op::call || command.op == Op::pause || command.op == Op::latch || command.op == Op::blow)
    return true;
  for (const Window& window : {command.to, command.from}) {
    if (window.buffer < 0) continue;
    const BufferState& buffer = buffers_.at(window.buffer);
    if (buffer.forked_by >= 0 || buffer.pooled || buffer.device != device) return true;
  }
  return false;
}

bool Model::check_latches(const std::vector<Command>& commands) const {
  // Nobody promises that a device has room for two host calls that do not end.
  const auto closes = [](const Command& command) { return command.op == Op::latch; };
  const auto count = std::ranges::count_if(commands, closes);
  if (count == 0) return true;
  return count == 1 && open_latches_.empty() && !latches_.contains(std::ranges::find_if(commands, closes)->host);
}

Deed Model::deed(const Command& command) const {
  Deed deed{.op = command.op, .a = command.a, .b = command.b, .host = command.host};
  if (has_to(command.op)) deed.to = place(command.to);
  if (has_from(command.op)) deed.from = place(command.from);
  if (command.op == Op::pull) deed.to = {command.host, 0, command.from.count};
  if (command.op == Op::push) deed.from = {command.host, 0, command.to.count};
  return deed;
}

void Model::collect_uses(const Deed& deed, Entry& entry) const {
  for (const auto& [place, writes] : {std::pair(deed.to, true), std::pair(deed.from, false)}) {
    if (place.storage < 0) continue;
    const BufferState& buffer = buffers_.at(place.storage);
    if (buffer.width != 0) entry.uses.push_back({place.storage, 0, buffer.count, writes});  // as a whole
    else entry.uses.push_back({place.storage, place.first, place.first + place.count, writes});
  }
}

bool Model::throws(const std::vector<Command>& commands, std::size_t runs) const {
  return std::ranges::any_of(commands,
                             [&](const Command& command) { return command.op == Op::blow && command.a == runs; });
}

bool Model::adopt(const Step& step, Entry& entry) const {
  entry.node = order_.node_count();
  entry.queue = queues_.at(step.queue).order;
  for (const Moment& moment : step.moments) entry.waits.push_back(inner(moment));
  for (const Promise& promise : step.promises) entry.promises.push_back({signals_.at(promise.signal), promise.value});
  return true;
}

bool Model::enter_entry(const Step& step, Entry entry, Task task) {
  if (!is_new_node(step.node)) return false;
  adopt(step, entry);
  const int number = entry.node;
  if (!order_.submit(entry)) return false;
  nodes_[step.node] = number;
  tasks_.push_back(std::move(task));
  return true;
}

void Model::come_after(const BufferState& buffer, Entry& entry) {
  entry.born.join(buffer.born);
  if (buffer.forked_by >= 0) entry.waits.push_back({.node = buffer.forked_by});
}

bool Model::enter(const Step& step, const std::vector<Command>& commands, bool throws) {
  Entry entry{.throws = throws};
  Task task{.commands = commands};
  for (const Command& command : commands) {
    task.deeds.push_back(deed(command));
    collect_uses(task.deeds.back(), entry);
    entry.is_slow = entry.is_slow || is_slow(command, queues_.at(step.queue).device);
    for (const Window& window : {command.to, command.from})
      if (window.buffer >= 0) come_after(buffers_.at(window.buffer), entry);
  }
  std::vector<int> closed;
  for (const Command& command : commands)
    if (command.op == Op::latch) closed.push_back(command.host);
  const int first = static_cast<int>(latches_.size());
  for (std::size_t i = 0; i < closed.size(); ++i) {
    order_.add_latch();
    entry.latches.push_back(first + static_cast<int>(i));
  }
  const int number = order_.node_count();
  if (!enter_entry(step, entry, std::move(task))) return false;
  for (std::size_t i = 0; i < closed.size(); ++i) {
    latches_[closed[i]] = first + static_cast<int>(i);
    open_latches_.insert(closed[i]);
  }
  for (const Command& command : commands) {
    if (command.op == Op::download || command.op == Op::receive) download_nodes_[command.host] = number;
    if (command.op == Op::call || command.op == Op::blow) calls_.try_emplace(command.host);
  }
  return true;
}

bool Model::submit(const Step& step) {
  if (!takes(step.queue)) return false;
  const int device = queues_.at(step.queue).device;
  if (check_all(step.commands, device, false) != Verdict::fine) return false;
  return enter(step, step.commands, throws(step.commands, 0));
}

bool Model::refuse(const Step& step) {
  const auto queue = queues_.find(step.queue);
  if (queue == queues_.end() || !queue->second.alive) return false;
  std::vector<Command> commands = step.commands;
  if (step.act == Act::replay && (!recordings_.contains(step.recording) || !recordings_.at(step.recording).alive))
    return false;
  const Verdict verdict =
      step.act == Act::replay ? bind(step, commands) : check_all(commands, queue->second.device, false);
  if (std::ranges::any_of(commands, [](const Command& command) { return command.op == Op::latch; })) return false;
  if (step.wrong == Wrong::dead_queue) return verdict == Verdict::fine && order_.is_failed(queue->second.order);
  if (!takes(step.queue)) return false;
  switch (step.wrong) {
    case Wrong::stale:
    case Wrong::sealed:
    case Wrong::slot:
    case Wrong::size: return verdict == Verdict::refused;
    case Wrong::few_bindings: return verdict == Verdict::fine && step.act == Act::replay && !step.bindings.empty();
    case Wrong::own_future: return verdict == Verdict::fine;
    case Wrong::low_signal:
      return verdict == Verdict::fine && step.promises.size() == 1 &&
             !order_.has_signal_failed(signals_.at(step.promises[0].signal)) &&
             step.promises[0].value <= order_.reached(signals_.at(step.promises[0].signal));
    case Wrong::backend: {
      const bool own = std::ranges::all_of(commands, [&](const Command& command) {
        const auto is_here = [&](const Window& window) {
          return window.buffer < 0 || buffers_.at(window.buffer).device == queue->second.device;
        };
        return is_here(command.to) && is_here(command.from);
      });
      const bool plain = std::ranges::all_of(step.moments, [&](const Moment& moment) {
        return moment.node >= 0 && !order_.has_failed(inner(moment));  // what waits for a failure never gets there
      });
      return verdict == Verdict::fine && own && plain && step.promises.empty() && !held_ && devices_.size() == 1 &&
             devices_[0].refuses && step.act == Act::submit;
    }
    default: return false;
  }
}

void Model::count_calls(int node, const Task& task, bool thrown) {
  bool certain = true;
  for (const Command& command : task.commands) {
    if (command.op != Op::call && command.op != Op::blow) continue;
    CallState& call = calls_[command.host];
    call.node = node;
    call.least += static_cast<std::uint32_t>(certain);
    ++call.most;
    if (thrown && command.op == Op::blow) certain = false;
  }
}

void Model::run_settled() {
  for (const int node : order_.take_settled()) {
    const Task& task = tasks_[static_cast<std::size_t>(node)];
    const bool thrown = order_.fate(node) == Fate::thrown;
    if (thrown) bytes_.forget(task.deeds);
    else bytes_.do_all(task.deeds);
    count_calls(node, task, thrown);
  }
}

void Model::look() {
  std::erase_if(download_nodes_, [&](const auto& download) {
    const auto [number, node] = download;
    if (order_.fate(node) == Fate::dropped || order_.fate(node) == Fate::thrown) return true;
    if (!order_.knows(node)) return false;
    outcome_.downloads.push_back(number);
    return true;
  });
}

bool Model::read(const Step& step) {
  if (order_.has_closed_latch() || order_.has_pending(queues_.contains(step.queue) ? queues_.at(step.queue).order : 0))
    return false;
  Step plain = step;
  plain.commands = {{.op = Op::barrier}};
  if (!takes(step.queue) || check_window(step.bad, false, false) != Verdict::fine) return false;
  if (buffers_.at(step.bad.buffer).device != queues_.at(step.queue).device) return false;
  Entry entry;
  come_after(buffers_.at(step.bad.buffer), entry);
  const Place from = place(step.bad);
  entry.uses = {{from.storage, from.first, from.first + from.count, false}};
  // What nobody would end: whatever stands behind a fork that is held.
  if (std::ranges::any_of(entry.waits, [&](const Moment& wait) { return order_.fate(wait.node) != Fate::settled; }))
    return false;
  return enter_entry(step, entry, {}) && order_.await({.node = nodes_.at(step.node)});
}

}  // namespace pintle::differential
