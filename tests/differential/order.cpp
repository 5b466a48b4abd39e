#include "order.h"

#include <algorithm>

namespace pintle::differential {

int Order::add_queue() {
  queues_.emplace_back();
  return static_cast<int>(queues_.size()) - 1;
}

void Order::end_queue(int queue) { queues_[index(queue)].ended = true; }

void Order::add_signal() { signals_.emplace_back(); }

bool Order::has_raiser(const Moment& moment) const {
  if (moment.node >= 0) return nodes_[index(moment.node)].fate == Fate::settled;
  const Signal& signal = signals_[index(moment.signal)];
  if (moment.value <= signal.reached) return true;
  return std::ranges::any_of(signal.raisers, [&](const Raiser& raiser) {
    return raiser.value >= moment.value && (raiser.node < 0 || fate(raiser.node) == Fate::settled);
  });
}

bool Order::is_ready(const Node& node) const {
  if (node.before >= 0 && fate(node.before) != Fate::settled) return false;
  return std::ranges::all_of(node.waits, [&](const Moment& wait) { return has_raiser(wait); });
}

Clock Order::partly_known(const Node& node) const {
  Clock known = node.known;
  if (node.before >= 0) known.join(nodes_[index(node.before)].known);
  for (const Moment& wait : node.waits)
    if (wait.node >= 0) known.join(nodes_[index(wait.node)].known);
  return known;
}

// A waiter for a signal comes after one of those that may raise it so far, nobody knows which; not after one that
// itself comes after the waiter.
Clock Order::trust(const Moment& moment, const Node* waiter) {
  Clock known;
  Signal& signal = signals_[index(moment.signal)];
  bool first = true;
  for (const Raiser& raiser : signal.raisers) {
    if (raiser.value < moment.value) continue;
    if (raiser.node >= 0 && waiter != nullptr && precedes(*waiter, nodes_[index(raiser.node)].known)) continue;
    if (raiser.node >= 0 && fate(raiser.node) != Fate::settled) return {};
    const Clock& clock = raiser.node >= 0 ? nodes_[index(raiser.node)].known : raiser.clock;
    if (std::exchange(first, false)) known = clock;
    else known.meet(clock);
  }
  signal.trusts.push_back({moment.value, known});
  return known;
}

bool Order::keep_promises(const Node& node) {
  for (const Promise& promise : node.promises) {
    for (const Trust& trusted : signals_[index(promise.signal)].trusts)
      if (trusted.value <= promise.value && !node.known.covers(trusted.clock)) return false;
  }
  return true;
}

bool Order::settle(int number) {
  Node& node = nodes_[index(number)];
  node.known = partly_known(node);
  for (const Moment& wait : node.waits)
    if (wait.signal >= 0) node.known.join(trust(wait, &node));
  if (!node.known.covers(node.needed)) return false;
  node.fate = node.throws ? Fate::thrown : Fate::settled;
  settled_.push_back(number);
  return keep_promises(node);
}

bool Order::settle_all() {
  for (bool again = true; again;) {
    again = false;
    for (int number = 0; number < node_count(); ++number) {
      const Node& node = nodes_[index(number)];
      if (node.fate != Fate::pending || !is_ready(node)) continue;
      if (!settle(number)) return false;
      again = true;
    }
  }
  return true;
}

void Order::need(Node& node, const Node& earlier) { node.needed.raise(place(earlier.queue), earlier.tick); }

// Whether a use of the newest node and one of an earlier submission have an order, or can still get one.
bool Order::check_use(int number, const Use& use, const Past& past) {
  Node& node = nodes_[index(number)];
  Node& earlier = nodes_[index(past.node)];
  if (past.use.storage != use.storage || !(past.use.writes || use.writes)) return true;
  if (past.use.last <= use.first || use.last <= past.use.first) return true;
  if (past.node == number || earlier.fate == Fate::dropped) return true;
  if (earlier.fate == Fate::thrown) return false;
  if (precedes(earlier, node.known)) return true;
  const bool is_now = is_ready(node);
  if (is_now == (earlier.fate == Fate::settled)) return false;  // both run, or both are held
  if (is_now) need(earlier, node);
  else need(node, earlier);
  return true;
}

bool Order::check_uses(int number, const std::vector<Use>& uses) {
  for (const Use& use : uses)
    for (const Past& past : past_)
      if (!check_use(number, use, past)) return false;
  for (const Use& use : uses) past_.push_back({number, use});
  return true;
}

bool Order::submit(const Entry& entry) {
  if (!is_open(entry.queue)) return false;
  for (const Moment& wait : entry.waits)
    if (has_failed(wait)) return false;
  for (const Promise& promise : entry.promises) {
    const Signal& signal = signals_[index(promise.signal)];
    if (signal.failed || entry.throws || promise.value <= possible(promise.signal)) return false;
  }
  Queue& queue = queues_[index(entry.queue)];
  Node node{.queue = entry.queue, .tick = ++queue.ticks, .before = queue.last};
  node.waits = entry.waits;
  node.promises = entry.promises;
  node.latches = entry.latches;
  node.is_slow = entry.is_slow;
  node.throws = entry.throws;
  node.needed = entry.born;
  node.known = host_;
  node.known.raise(place(entry.queue), node.tick);
  node.known = partly_known(node);
  queue.last = entry.node;
  queue.throwing = entry.throws;
  nodes_.push_back(std::move(node));
  for (const Promise& promise : entry.promises)
    signals_[index(promise.signal)].raisers.push_back({promise.value, entry.node, {}});
  return check_uses(entry.node, entry.uses) && settle_all();
}

bool Order::set(int signal, std::uint32_t value) {
  Signal& raised = signals_[index(signal)];
  if (raised.failed || value <= possible(signal)) return false;
  for (const Trust& trusted : raised.trusts)
    if (trusted.value <= value && !host_.covers(trusted.clock)) return false;
  raised.raisers.push_back({value, -1, host_});
  raised.reached = value;
  return settle_all();
}

bool Order::fail_signal(int signal) {
  Signal& failing = signals_[index(signal)];
  if (failing.failed) return true;
  if (possible(signal) > failing.reached) return false;  // it may be reached before it fails
  failing.failed = true;
  return drop_waiters(signal);
}

bool Order::drop_waiters(int signal) {
  for (int number = 0; number < node_count(); ++number) {
    const Node& node = nodes_[index(number)];
    if (node.fate != Fate::pending) continue;
    const bool waits =
        std::ranges::any_of(node.waits, [&](const Moment& wait) { return wait.signal == signal && has_failed(wait); });
    if (waits && !drop(number)) return false;
  }
  return true;
}

// What waits for something that failed does not run, nor what stands behind it.
bool Order::drop(int number) {
  if (fate(number) == Fate::dropped) return true;
  const Node node = nodes_[index(number)];
  if (node.fate != Fate::pending) return false;
  if (node.before >= 0 && fate(node.before) == Fate::pending) return false;
  nodes_[index(number)].fate = Fate::dropped;
  queues_[index(node.queue)].failed = true;
  for (const Promise& promise : node.promises)
    if (!fail_signal(promise.signal)) return false;
  for (int other = 0; other < node_count(); ++other) {
    const Node& next = nodes_[index(other)];
    const bool follows = next.before == number ||
                         std::ranges::any_of(next.waits, [&](const Moment& wait) { return wait.node == number; });
    if (follows && !drop(other)) return false;
  }
  return true;
}

bool Order::fail(int signal) { return !signals_[index(signal)].failed && fail_signal(signal); }

bool Order::await(const Moment& moment) {
  if (has_closed_latch() && !is_live(moment)) return false;
  if (has_failed(moment)) {
    if (moment.node >= 0) queues_[index(nodes_[index(moment.node)].queue)].failed = true;
    return true;
  }
  if (!is_coming(moment)) return false;
  if (moment.node >= 0) {
    host_.join(nodes_[index(moment.node)].known);
    return true;
  }
  host_.join(trust(moment));
  auto& reached = signals_[index(moment.signal)].reached;
  reached = std::max(reached, moment.value);
  return true;
}

bool Order::await_any(const std::vector<Moment>& moments) {
  const auto is_alive = [&](const Moment& moment) { return is_live(moment); };
  if (has_closed_latch() && std::ranges::none_of(moments, is_alive)) return false;
  Clock known;
  bool any = false;
  for (const Moment& moment : moments) {
    if (has_failed(moment)) return false;
    if (!is_coming(moment)) continue;
    const Clock clock = moment.node >= 0 ? nodes_[index(moment.node)].known : trust(moment);
    if (std::exchange(any, true)) known.meet(clock);
    else known = clock;
  }
  if (any) host_.join(known);
  return any;
}

bool Order::has_failed(const Moment& moment) const {
  if (moment.node >= 0) return fate(moment.node) == Fate::dropped || fate(moment.node) == Fate::thrown;
  const Signal& signal = signals_[index(moment.signal)];
  return signal.failed && moment.value > signal.reached;
}

bool Order::is_coming(const Moment& moment) const { return !has_failed(moment) && has_raiser(moment); }

bool Order::is_shut(const Moment& moment) const {
  if (moment.signal >= 0) return !has_failed(moment) && moment.value > possible(moment.signal);
  const Node& node = nodes_[index(moment.node)];
  if (node.fate == Fate::pending) return true;
  if (node.fate != Fate::settled) return false;
  return std::ranges::any_of(nodes_, [&](const Node& other) {
    const auto is_closed = [&](int latch) { return latches_[index(latch)]; };
    return precedes(other, node.known) && std::ranges::any_of(other.latches, is_closed);
  });
}

bool Order::is_live(const Moment& moment) const {
  std::vector<char> asked(nodes_.size(), 0);
  return is_live(moment, asked);
}

// `asked` ends circles: a submission that waits for a signal may also come before one that raises it.
bool Order::is_live(const Moment& moment, std::vector<char>& asked) const {
  if (has_failed(moment)) return false;
  if (moment.signal >= 0) {
    const Signal& signal = signals_[index(moment.signal)];
    return moment.value <= signal.reached || std::ranges::any_of(signal.raisers, [&](const Raiser& raiser) {
             return raiser.value >= moment.value && (raiser.node < 0 || is_live({.node = raiser.node}, asked));
           });
  }
  const Node& node = nodes_[index(moment.node)];
  if (node.fate != Fate::settled || std::exchange(asked[index(moment.node)], char{1}) != 0) return false;
  const auto is_known = [&] {
    if (node.is_slow || !node.latches.empty()) return false;
    return (node.before < 0 || is_live({.node = node.before}, asked)) &&
           std::ranges::all_of(node.waits, [&](const Moment& wait) { return is_live(wait, asked); });
  };
  const bool answer = precedes(node, host_) || is_known();
  asked[index(moment.node)] = 0;
  return answer;
}

bool Order::knows(int node) const {
  const Node& known = nodes_[index(node)];
  if (precedes(known, host_)) return true;
  return (known.fate == Fate::dropped || known.fate == Fate::thrown) && queues_[index(known.queue)].failed;
}

bool Order::comes_before(int node, int later) const {
  return node != later && precedes(nodes_[index(node)], nodes_[index(later)].known);
}

bool Order::is_open(int queue) const {
  const Queue& known = queues_[index(queue)];
  return !known.ended && !known.failed && !known.throwing;
}

bool Order::is_failed(int queue) const { return !queues_[index(queue)].ended && queues_[index(queue)].failed; }

bool Order::has_pending(int queue) const {
  return std::ranges::any_of(nodes_,
                             [&](const Node& node) { return node.queue == queue && node.fate == Fate::pending; });
}

std::uint32_t Order::highest(int signal) const {
  std::uint32_t most = signals_[index(signal)].reached;
  for (const Raiser& raiser : signals_[index(signal)].raisers) most = std::max(most, raiser.value);
  return most;
}

std::uint32_t Order::possible(int signal) const {
  std::uint32_t most = signals_[index(signal)].reached;
  for (const Raiser& raiser : signals_[index(signal)].raisers)
    if (raiser.node < 0 || fate(raiser.node) == Fate::settled) most = std::max(most, raiser.value);
  return most;
}

bool Order::has_closed_latch() const { return std::ranges::find(latches_, true) != latches_.end(); }

bool Order::has_pending() const {
  return std::ranges::any_of(nodes_, [](const Node& node) { return node.fate == Fate::pending; });
}

bool Order::has_all() const { return !has_closed_latch() && !has_pending(); }

bool Order::is_raced(const Moment& moment) const {
  if (moment.signal < 0) return false;
  const Signal& signal = signals_[index(moment.signal)];
  int queue = -1;
  bool several = false;
  for (const Raiser& raiser : signal.raisers) {
    if (raiser.node < 0 || raiser.value < moment.value) continue;
    several |= queue >= 0 && queue != queue_of(raiser.node);
    queue = queue_of(raiser.node);
  }
  return several && moment.value > signal.reached;
}

Clock Order::birth(int queue) const {
  Clock born;
  born.raise(place(queue), queues_[index(queue)].ticks);
  return born;
}

bool Order::may_touch(const Use& use) const {
  return std::ranges::all_of(past_, [&](const Past& past) {
    if (past.use.storage != use.storage || !(past.use.writes || use.writes)) return true;
    if (past.use.last <= use.first || use.last <= past.use.first) return true;
    const Node& node = nodes_[index(past.node)];
    return node.fate == Fate::dropped || (node.fate == Fate::settled && precedes(node, host_));
  });
}

}  // namespace pintle::differential
