// What must hold when a program has ended.
#include <algorithm>
#include <thread>

#include "run.h"

namespace pintle::differential {
namespace {

std::string number_text(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", value);
  return text;
}

}  // namespace

void Run::compare(const Cells& expected, std::span<const std::uint32_t> seen, const std::string& what,
                  bool has_bytes) const {
  if (!has_bytes) return;
  if (expected.values.size() != seen.size()) fail(what + " has another size");
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (expected.known[i] == 0 || expected.values[i] == seen[i]) continue;
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return;
  fail(what + ": element " + std::to_string(first) + " (byte " + std::to_string(4 * first) + ") is " +
       number_text(seen[first]) + " and not " + number_text(expected.values[first]) + "; " + std::to_string(wrong) +
       " of " + std::to_string(seen.size()) + " are wrong");
}

void Run::compare_download(int number) {
  if (world_.polls_before_looking) world_.poll();
  compare(case_.end.download(number), downloads_.at(number), "download " + std::to_string(number),
          executes(download_devices_.at(number)));
}

template <class Holds>
bool Run::eventually(Holds holds) {
  const auto deadline = std::chrono::steady_clock::now() + patience();
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    world_.drive();
    std::this_thread::yield();
  }
  return true;
}

bool Run::may_fail() const {
  const Order& order = case_.end.order();
  for (int node = 0; node < order.node_count(); ++node)
    if (order.fate(node) != Fate::settled) return true;
  return false;
}

bool Run::has_closed() const {
  for (int device = 0; device < world_.size(); ++device)
    if (case_.end.is_gone(device)) return true;
  return false;
}

void Run::wait_idle() {
  for (int device = 0; device < world_.size(); ++device) {
    if (case_.end.is_gone(device)) continue;
    const auto idle = world_.at(device).device.wait_idle(patience());
    if (!idle && (!(may_fail() || world_.is_shared) || idle.error().code() == Errc::timeout)) expect(idle, "wait_idle");
  }
}

void Run::check_calls() {
  const auto has_run = [&](const auto& entry) {
    const auto found = calls_.find(entry.first);
    return (found == calls_.end() ? 0 : found->second->count.load()) >= entry.second.least;
  };
  // A device that has gone may be open still: what copies from it or to it keeps it. Nobody can wait for its queues.
  if (has_closed()) static_cast<void>(eventually([&] { return std::ranges::all_of(case_.end.calls(), has_run); }));
  for (const auto& [number, call] : case_.end.calls()) {
    const auto found = calls_.find(number);
    const std::uint32_t count = found == calls_.end() ? 0 : found->second->count.load();
    if (count >= call.least && count <= call.most) continue;
    fail("call " + std::to_string(number) + " has run " + std::to_string(count) + " times and not " +
         std::to_string(call.least) + (call.most == call.least ? "" : " to " + std::to_string(call.most)));
  }
  check_order();
  for (const auto& [number, record] : calls_)
    if (!case_.end.calls().contains(number) && record->count != 0)
      fail("call " + std::to_string(number) + " of a refused list has run");
}

// Calls that ran once each are in the order that the program gives them.
void Run::check_order() const {
  const auto& calls = case_.end.calls();
  const auto once = [](const CallState& call) { return call.least == 1 && call.most == 1; };
  for (const auto& [number, call] : calls) {
    for (const auto& [other, later] : calls) {
      if (!once(call) || !once(later) || !case_.end.order().comes_before(call.node, later.node)) continue;
      if (calls_.at(number)->first < calls_.at(other)->first) continue;
      fail("call " + std::to_string(other) + " has run before call " + std::to_string(number));
    }
  }
}

void Run::check_blocks() {
  for (const auto& [number, block] : blocks_) {
    const auto cells = case_.end.host_block(number);
    if (cells) compare(*cells, {block->words, block->count}, "the memory under b" + std::to_string(number), true);
  }
}

void Run::clear() {
  recordings_.clear();
  buffers_.clear();
  images_.clear();
  pools_.clear();
  queues_.clear();
}

void Run::check_let_go() {
  world_.open_all();
  const auto& moments = case_.end.callbacks();
  const auto called = [](const auto& record) { return record->count != 0; };
  if (!eventually([&] { return std::ranges::all_of(callbacks_, called); })) fail("a callback is not called");
  const auto gone = [](const std::weak_ptr<void>& token) { return token.expired(); };
  if (!eventually([&] { return std::ranges::all_of(tokens_, gone); }))
    fail(std::to_string(std::ranges::count_if(tokens_, [&](const auto& token) { return !gone(token); })) +
         " owners of host memory are not let go");
  for (std::size_t i = 0; i < callbacks_.size(); ++i) {
    if (callbacks_[i]->count != 1) fail("a callback is called " + std::to_string(callbacks_[i]->count) + " times");
    if (callbacks_[i]->succeeded == case_.end.fails(moments[i])) fail("a callback hears the wrong answer");
  }
}

void Run::check_next() {
  for (int device = 0; device < world_.size(); ++device) {
    if (case_.end.is_gone(device)) continue;
    const Device& machine = world_.at(device).device;
    Queue queue = expect(machine.create_queue(), "the next queue");
    const Buffer buffer = expect(machine.allocate(DType::u32, {16}), "the next buffer");
    expect(queue.submit(CommandList{}.fill(buffer, 0xabcu)), "the next submission");
    const auto words = expect(pintle::read<std::uint32_t>(queue, buffer, patience()), "the next read");
    if (executes(device) && words != Words(16, 0xabc)) fail("the next operation is wrong");
  }
}

void Run::check_end() {
  if (case_.program.size() % 2 == 1) {  // what ends is let go whether or not somebody asks
    clear();
    check_let_go();
  }
  wait_idle();
  check_calls();
  check_blocks();
  clear();
  check_let_go();
  check_next();
}

bool Run::give_up() {
  for (const auto& [number, latch] : latches_) *latch = true;
  for (auto& [number, signal] : signals_)
    static_cast<void>(signal.fail(Error(Errc::cancelled, "The run is given up.")));
  clear();
  bool idle = true;
  for (int device = 0; device < world_.size(); ++device) {
    if (world_.at(device).device.id().empty()) continue;
    const auto answer = world_.at(device).device.wait_idle(std::chrono::seconds(3));
    idle = idle && (answer || answer.error().code() != Errc::timeout);
  }
  return idle;
}

std::optional<Case> judge(const Program& program, const std::vector<Ability>& devices) {
  Case made{.program = {}, .outcomes = {}, .end = Model(devices)};
  for (const Step& step : program) {
    if (!made.end.apply(step)) continue;
    made.program.push_back(step);
    made.outcomes.push_back(made.end.outcome());
  }
  if (!made.end.is_complete()) return std::nullopt;
  return made;
}

std::optional<Failure> run(World& world, const Case& given, const Visit& visit) {
  auto here = std::make_unique<Run>(world, given);
  std::size_t at = 0;
  try {
    for (; at < given.program.size(); ++at) {
      if (visit) visit(*here, at);
      here->step(given.program[at], given.outcomes[at]);
    }
    here->check_end();
  } catch (Failure& failure) {
    failure.step = at;
    if (!here->give_up()) {
      static_cast<void>(here.release());  // devices may still write to its memory
      for (int device = 0; device < world.size(); ++device) world.close(device);
    }
    here.reset();
    world.open_all();
    return std::move(failure);
  }
  here.reset();
  world.open_all();
  return std::nullopt;
}

}  // namespace pintle::differential
