// Proposals about time: signals, waits, callbacks, reads.
#include <algorithm>

#include "generator.h"

namespace pintle::differential {

Moment Generator::some_moment() {
  if (random_.percent(55) && !model_.nodes().empty()) {
    auto at = model_.nodes().begin();
    std::advance(at, static_cast<std::ptrdiff_t>(random_.below(model_.nodes().size())));
    return {.node = at->first};
  }
  if (next_signal_ == 0) return {};
  const int signal = static_cast<int>(random_.below(static_cast<std::uint64_t>(next_signal_)));
  const std::uint32_t most = model_.order().highest(model_.signals().at(signal)) + (has("held") ? 2 : 0);
  if (most == 0) return {};
  return {.signal = signal, .value = random_.from_to(1, most)};
}

void Generator::add_waits(Step& step) {
  for (std::uint32_t i = random_.below(3); i != 0; --i) {
    const Moment moment = some_moment();
    if (moment.node < 0 && moment.signal < 0) continue;
    if (moment.signal >= 0) {
      auto& top = tops_[static_cast<std::size_t>(moment.signal)];
      top = std::max(top, moment.value);
    }
    step.moments.push_back(moment);
  }
}

void Generator::add_promises(Step& step) {
  if (next_signal_ == 0 || !random_.percent(30)) return;
  const int signal = static_cast<int>(random_.below(static_cast<std::uint64_t>(next_signal_)));
  const Order& order = model_.order();
  const int inner = model_.signals().at(signal);
  // Above what may be reached, and often beside another promise.
  const std::uint32_t value = random_.percent(40) && has("race") ? order.possible(inner) + random_.from_to(1, 3)
                                                                 : order.highest(inner) + random_.from_to(1, 2);
  step.promises = {{signal, value}};
}

bool Generator::set_signal() {
  if (next_signal_ == 0) return false;
  const int signal = static_cast<int>(random_.below(static_cast<std::uint64_t>(next_signal_)));
  const std::uint32_t value = model_.order().possible(model_.signals().at(signal)) + random_.from_to(1, 3);
  const Step step{.act = Act::set_signal, .signal = signal, .value = value};
  return propose(step) || (wait_known() && propose(step));
}

bool Generator::fail_signal() {
  if (next_signal_ == 0) return false;
  const int signal = static_cast<int>(random_.below(static_cast<std::uint64_t>(next_signal_)));
  return propose({.act = Act::fail_signal, .signal = signal});
}

// The host waits for everything that comes without it.
bool Generator::wait_known() {
  Step step{.act = Act::wait};
  for (const auto& [number, inner] : model_.nodes()) {
    const Moment moment{.node = number};
    if (model_.order().is_coming(model_.inner(moment)) && !model_.order().knows(inner)) step.moments.push_back(moment);
  }
  return !step.moments.empty() && propose(std::move(step));
}

bool Generator::wait(Act act) {
  Step step{.act = act};
  for (std::uint32_t i = random_.from_to(1, 3); i != 0; --i) {
    const Moment moment = some_moment();
    if (moment.node < 0 && moment.signal < 0) continue;
    if (model_.order().has_closed_latch() && !model_.order().is_live(model_.inner(moment))) continue;
    if (act == Act::wait && !model_.order().is_coming(model_.inner(moment)) && !model_.fails(moment)) continue;
    step.moments.push_back(moment);
  }
  return !step.moments.empty() && propose(std::move(step));
}

bool Generator::poll_shut() {
  Step step{.act = Act::poll_shut};
  for (int i = 0; i < 6; ++i) {
    const Moment moment = some_moment();
    if ((moment.node >= 0 || moment.signal >= 0) && model_.order().is_shut(model_.inner(moment)))
      step.moments.push_back(moment);
  }
  return !step.moments.empty() && propose(std::move(step));
}

bool Generator::then() {
  const Moment moment = some_moment();
  if (moment.node < 0 && moment.signal < 0) return false;
  if (moment.signal >= 0) {
    auto& top = tops_[static_cast<std::size_t>(moment.signal)];
    top = std::max(top, moment.value);
  }
  return propose({.act = Act::then, .moments = {moment}});
}

// A slow queue and somebody fast promise the same signal, in either order, and somebody waits.
void Generator::signal_race(int signal) {
  const int device = some_device();
  const int slow = some_queue(device), fast = some_queue(some_device());
  if (slow < 0 || fast < 0 || slow == fast) return;
  const std::uint32_t value = random_.from_to(2, 6);
  Step late{.act = Act::submit, .queue = slow, .node = fresh(), .promises = {{signal, value}}};
  late.commands = {call_command(device)};
  if (ability(device).latches && has("latch")) late.commands = {{.op = Op::latch, .host = fresh()}};
  Step early{.act = Act::submit, .queue = fast, .node = fresh(), .promises = {{signal, value + random_.below(3) - 1}}};
  Step wait{.act = random_.percent(60) ? Act::wait : Act::wait_any,
            .moments = {{.signal = signal, .value = value - 1}}};
  if (random_.percent(40)) {
    Step behind{.act = Act::submit, .queue = some_queue(), .node = fresh(), .moments = wait.moments};
    wait.moments = {{.node = behind.node}};
    const bool before = random_.percent(50);
    propose(late);
    if (before) propose(behind);
    propose(early);
    if (!before) propose(behind);
  } else {
    propose(late);
    if (random_.percent(30)) propose({.act = Act::set_signal, .signal = signal, .value = value + 3});
    else propose(early);
  }
  if (wait.moments[0].node < 0 || model_.nodes().contains(wait.moments[0].node)) propose(wait);
}

bool Generator::read() {
  const int device = some_device();
  const int queue = some_queue(device), buffer = some_buffer(device, false);
  if (queue < 0 || buffer < 0) return false;
  return propose({.act = Act::read, .queue = queue, .node = fresh(), .bad = window(buffer, false)});
}

bool Generator::map() {
  std::vector<int> all;
  for (const auto& [number, buffer] : model_.buffers())
    if (buffer.alive && buffer.on_host) all.push_back(number);
  const int buffer = some(all);
  if (buffer < 0) return false;
  Step step{.act = random_.percent(60) ? Act::map_read : Act::map_write, .buffer = buffer};
  step.value = static_cast<std::uint32_t>(fresh());
  return propose(step) || (wait_known() && propose(step));
}

}  // namespace pintle::differential
