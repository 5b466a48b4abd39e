// Proposals of lists, right and wrong, and of recordings.
#include <algorithm>
#include <array>
#include <utility>

#include "generator.h"

namespace pintle::differential {

int Generator::some_queue(int device) {
  std::vector<int> all;
  for (const auto& [number, queue] : model_.queues())
    if (queue.device == device && model_.takes(number)) all.push_back(number);
  return some(all);
}

int Generator::some_queue() { return some_queue(some_device()); }

int Generator::some_buffer(int device, bool written) {
  std::vector<int> all;
  for (const auto& [number, buffer] : model_.buffers())
    if (buffer.alive && buffer.width == 0 && buffer.device == device && !(written && buffer.sealed))
      all.push_back(number);
  // New ones more often: that is where things happen.
  if (all.size() > 3 && random_.percent(60)) all.erase(all.begin(), all.end() - 3);
  return some(all);
}

int Generator::some_image(int device) {
  std::vector<int> all;
  for (const auto& [number, buffer] : model_.buffers())
    if (buffer.alive && buffer.width != 0 && buffer.device == device) all.push_back(number);
  return some(all);
}

// All of it, some rows, or a part of a row.
Window Generator::image_window(int image) {
  const BufferState& state = model_.buffers().at(image);
  if (random_.percent(40)) return {image, 0, state.count};
  const std::uint32_t rows = state.count / state.width, row = random_.below(rows);
  if (random_.percent(50)) return {image, row * state.width, random_.from_to(1, rows - row) * state.width};
  const std::uint32_t x = random_.below(state.width);
  return {image, row * state.width + x, random_.from_to(1, state.width - x)};
}

Window Generator::window(int buffer, bool for_kernel) {
  const std::uint32_t count = model_.buffers().at(buffer).count;
  if (random_.percent(50)) return {buffer, 0, count};
  if (random_.percent(50)) {  // halves, which two queues may have without order
    const std::uint32_t half = count / 2;
    const bool second = random_.percent(50);
    const Window made = second ? Window{buffer, half, count - half} : Window{buffer, 0, half};
    if (made.count != 0 && !for_kernel) return made;
  }
  return window_like(buffer, random_.from_to(1, count), for_kernel);
}

Window Generator::window_like(int buffer, std::uint32_t count, bool for_kernel) {
  const std::uint32_t all = model_.buffers().at(buffer).count;
  count = std::min(count, all);
  std::uint32_t first = random_.percent(40) ? 0 : random_.from_to(0, all - count);
  const std::uint32_t alignment = ability(model_.buffers().at(buffer).device).alignment;
  if (for_kernel) first -= first % alignment;
  return {buffer, first, count};
}

Command Generator::call_command(int device) {
  if (!ability(device).calls) return {.op = Op::barrier};
  if (random_.percent(30)) return {.op = Op::pause, .a = random_.from_to(1, 200)};
  if (ability(device).latches && random_.percent(8) && has("latch")) return {.op = Op::latch, .host = fresh()};
  if (random_.percent(3) && has("throw")) return {.op = Op::blow, .a = 0, .host = fresh()};
  return {.op = Op::call, .host = fresh()};
}

Command Generator::host_command(int device) {
  const bool down = random_.percent(50);
  const int buffer = some_buffer(device, !down);
  if (buffer < 0) return {};
  Command made{.op = down ? (random_.percent(70) ? Op::download : Op::receive)
                          : (random_.percent(50) ? Op::upload : Op::keep)};
  (down ? made.from : made.to) = window(buffer, false);
  made.host = fresh();
  std::vector<int> blocks;
  for (const auto& [number, block] : model_.buffers())
    if (block.imported && block.count == (down ? made.from.count : made.to.count)) blocks.push_back(number);
  if (!blocks.empty() && random_.percent(40)) {
    made.op = down ? Op::pull : Op::push;
    made.host = some(blocks);
  }
  return made;
}

Command Generator::crossing(int device) {
  const int other = 1 - device;
  const bool comes = random_.percent(50);
  const int to = some_buffer(comes ? device : other, true), from = some_buffer(comes ? other : device, false);
  if (to < 0 || from < 0) return {};
  Command made{.op = Op::copy, .to = window(to, false), .from = {}};
  made.from = window_like(from, made.to.count, false);
  made.to.count = made.from.count;
  return made;
}

Command Generator::image_command(int device) {
  const int image = some_image(device), other = some_image(device), buffer = some_buffer(device, true);
  if (image < 0 || buffer < 0) return {};
  const BufferState &to = model_.buffers().at(image), &from = model_.buffers().at(other);
  if (image != other && to.width == from.width && to.count == from.count && random_.percent(70))
    return {.op = Op::paint, .to = {image, 0, to.count}, .from = {other, 0, to.count}, .a = random_.from_to(1, 9)};
  const Window texels = image_window(image), bytes = window_like(buffer, texels.count, false);
  if (bytes.count != texels.count) return {};
  return random_.percent(60) ? Command{.op = Op::to_image, .to = texels, .from = bytes}
                             : Command{.op = Op::from_image, .to = bytes, .from = texels};
}

Command Generator::command(int device) {
  if (model_.devices().size() == 2 && random_.percent(30) && has("cross")) return crossing(device);
  if (random_.percent(18)) return call_command(device);
  if (some_image(device) >= 0 && random_.percent(35)) return image_command(device);
  if (random_.percent(30)) return host_command(device);
  const int to = some_buffer(device, true), from = some_buffer(device, false);
  if (to < 0) return {};
  constexpr std::array<Op, 5> ops{Op::copy, Op::fill, Op::add_to, Op::affine, Op::gather};
  Command made{.op = ops[random_.below(ops.size())], .a = random_.from_to(1, 9), .b = random_.below(100)};
  const bool kernel = made.op != Op::copy && made.op != Op::fill;
  made.to = window(to, kernel);
  if (made.op == Op::fill || made.op == Op::affine) return made;
  made.from = window_like(from, made.to.count, kernel);
  made.to.count = made.from.count;
  return made;
}

std::vector<Command> Generator::commands(int device, std::uint32_t most) {
  std::vector<Command> all;
  for (std::uint32_t i = random_.from_to(1, most); i != 0; --i) all.push_back(command(device));
  return all;
}

bool Generator::submit() {
  const int queue = some_queue();
  if (queue < 0) return false;
  Step step{.act = Act::submit, .queue = queue, .node = fresh()};
  step.commands = commands(model_.queues().at(queue).device, random_.percent(70) ? 3 : 8);
  if (random_.percent(35)) add_waits(step);
  add_promises(step);
  return propose_ordered(std::move(step));
}

bool Generator::submit_held() {
  const int queue = some_queue();
  if (queue < 0 || next_signal_ == 0) return false;
  Step step{.act = Act::submit, .queue = queue, .node = fresh()};
  step.commands = commands(model_.queues().at(queue).device, 3);
  const int signal = static_cast<int>(random_.below(static_cast<std::uint64_t>(next_signal_)));
  const std::uint32_t value = model_.order().highest(model_.signals().at(signal)) + random_.from_to(1, 2);
  step.moments = {{.signal = signal, .value = value}};
  auto& top = tops_[static_cast<std::size_t>(signal)];
  top = std::max(top, value);
  add_promises(step);
  return propose(step) || propose_ordered(std::move(step));
}

// Puts something wrong at the end of a list that is right so far.
void Generator::make_bad(Step& step) {
  const int device = model_.queues().at(step.queue).device;
  std::vector<int> gone, sealed;
  for (const auto& [number, buffer] : model_.buffers()) {
    if (model_.is_gone(buffer.device)) continue;
    if (!buffer.alive) gone.push_back(number);
    else if (buffer.sealed) sealed.push_back(number);
  }
  const int any = some_buffer(device, true);
  switch (step.wrong) {
    case Wrong::stale:
    case Wrong::sealed: {
      const int bad = some(step.wrong == Wrong::stale ? gone : sealed);
      if (bad < 0) return;
      Command last{.op = Op::fill, .to = {bad, 0, model_.buffers().at(bad).count}};
      if (model_.buffers().at(bad).width != 0) {
        if (any < 0 || model_.buffers().at(bad).device != device) return;
        last = {.op = Op::from_image, .to = window_like(any, last.to.count, false), .from = last.to};
        if (last.to.count != last.from.count) return;
      } else if (model_.buffers().at(bad).device != device) {
        const int from = some_buffer(device, false);
        if (from < 0) return;
        last.op = Op::copy;
        last.from = window_like(from, last.to.count, false);
        last.to.count = last.from.count;
      }
      step.commands.push_back(last);
      return;
    }
    case Wrong::slot:
      if (any >= 0) step.commands.push_back({.op = Op::fill, .to = window(any, false), .slot_to = 0});
      return;
    case Wrong::size: {
      const int from = some_buffer(device, false);
      if (any >= 0 && from >= 0 && any != from)
        step.commands.push_back({.op = Op::copy, .to = window(any, false), .from = window(from, false)});
      return;
    }
    case Wrong::low_signal: {
      if (next_signal_ == 0) return;
      const int signal = static_cast<int>(random_.below(static_cast<std::uint64_t>(next_signal_)));
      step.promises = {{signal, model_.order().reached(model_.signals().at(signal))}};
      return;
    }
    default: return;
  }
}

bool Generator::refuse() {
  constexpr std::array<Wrong, 8> kinds{Wrong::stale, Wrong::stale,      Wrong::sealed,     Wrong::slot,
                                       Wrong::size,  Wrong::low_signal, Wrong::own_future, Wrong::dead_queue};
  Step step{.act = Act::submit, .queue = some_queue(), .node = fresh()};
  step.wrong = kinds[random_.below(kinds.size())];
  if (model_.devices()[0].refuses && random_.percent(60)) step.wrong = Wrong::backend;
  if (step.wrong == Wrong::dead_queue) {
    std::vector<int> failed;
    for (const auto& [number, queue] : model_.queues())
      if (queue.alive && model_.order().is_failed(queue.order)) failed.push_back(number);
    step.queue = some(failed);
  }
  if (step.queue < 0) return false;
  if (random_.percent(70)) step.commands = commands(model_.queues().at(step.queue).device, 4);
  if (random_.percent(50)) add_waits(step);
  add_promises(step);
  if (step.wrong == Wrong::backend) {
    step.promises.clear();
    std::erase_if(step.moments, [](const Moment& moment) { return moment.node < 0; });
  }
  make_bad(step);
  return propose(std::move(step));
}

Command Generator::recorded_command(int device, int& slots) {
  Command made = command(device);
  if (made.op == Op::latch || made.op == Op::receive || made.op == Op::pull || made.op == Op::push) made = {};
  if (ability(device).calls && random_.percent(6) && has("throw")) made = {.op = Op::blow, .host = fresh()};
  if (made.op == Op::blow) made.a = random_.below(4);
  const bool kernel = made.op == Op::add_to || made.op == Op::affine || made.op == Op::gather;
  const bool windowed = made.op == Op::copy || made.op == Op::fill || kernel;
  if (windowed && made.to.buffer >= 0 && random_.percent(30)) made.slot_to = slots++;
  if ((made.op == Op::copy || made.op == Op::add_to || made.op == Op::gather) && random_.percent(30))
    made.slot_from = slots++;
  if (kernel && random_.percent(30)) made.slot_a = slots++;
  if (made.op == Op::download || (made.op == Op::upload && random_.percent(50))) made.slot_host = slots++;
  return made;
}

bool Generator::record() {
  const int device = some_device();
  Step step{.act = Act::record, .device = device, .recording = fresh()};
  int slots = 0;
  for (std::uint32_t i = random_.from_to(1, random_.percent(70) ? 4 : 12); i != 0; --i) {
    const Command made = recorded_command(device, slots);
    step.commands.push_back(made);
  }
  return propose(std::move(step));
}

// A replay with something in each slot.
Step Generator::bound(int recording, int queue) {
  Step step{.act = Act::replay, .queue = queue, .recording = recording, .node = fresh()};
  const RecordingState& state = model_.recordings().at(recording);
  const auto slot = [&](int number) -> Binding& {
    if (step.bindings.size() <= static_cast<std::size_t>(number))
      step.bindings.resize(static_cast<std::size_t>(number) + 1);
    return step.bindings[static_cast<std::size_t>(number)];
  };
  for (const Command& command : state.commands) {
    const bool kernel = command.op == Op::add_to || command.op == Op::affine || command.op == Op::gather;
    const auto fill = [&](int number, std::uint32_t count, bool written) {
      if (number < 0) return;
      const int buffer = some_buffer(state.device, written);
      if (buffer >= 0) slot(number).window = window_like(buffer, count, kernel);
    };
    fill(command.slot_to, command.to.count, true);
    fill(command.slot_from, command.from.count, false);
    if (command.slot_a >= 0) slot(command.slot_a).scalar = random_.from_to(1, 9);
    if (command.slot_host >= 0) slot(command.slot_host).host = fresh();
  }
  return step;
}

bool Generator::replay() {
  std::vector<int> alive;
  for (const auto& [number, recording] : model_.recordings())
    if (recording.alive) alive.push_back(number);
  const int recording = some(alive);
  if (recording < 0) return record();
  const int queue = some_queue(model_.recordings().at(recording).device);
  if (queue < 0) return false;
  for (int attempt = 0; attempt < 3; ++attempt) {
    Step step = bound(recording, queue);
    if (random_.percent(30)) add_waits(step);
    add_promises(step);
    if (propose_ordered(step)) return true;
    step.wrong = random_.percent(50) ? Wrong::stale : Wrong::few_bindings;
    if (random_.percent(20) && propose(std::move(step))) return true;
  }
  return false;
}

}  // namespace pintle::differential
