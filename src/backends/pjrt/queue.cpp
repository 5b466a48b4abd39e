#include "backends/pjrt/queue.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "base/contain.h"
#include "host/idle_spin.h"

namespace pintle::pjrt {
namespace {

using backend::Command;
using backend::Commands;
using backend::QueueId;
using backend::QueuePoint;
using std::chrono::microseconds;
using std::chrono::nanoseconds;

/// What a call of submit may take for all launches of a list.
constexpr nanoseconds longest_here = std::chrono::milliseconds(1);

}  // namespace

QueueId Queue::create(QueueContext& shared, std::uint64_t first_serial) {
  const QueueId id = shared.table.next_id();
  shared.table.add(id, std::make_shared<Queue>(shared, id, first_serial));
  return id;
}

Queue::Queue(QueueContext& shared, QueueId id, std::uint64_t first_serial)
    : shared_(shared),
      line_(std::make_shared<Line>(shared.any_failed)),
      timeline_(FlightRules{shared.loss}, first_serial) {
  steps_.emplace(shared.steps, id, first_serial, static_cast<kit::StepQueue::Native&>(*this), kit::HostCopies::all);
  shared_.loss->add(*this);
}

Queue::~Queue() { shared_.loss->remove(*this); }

/// Nothing touches the host's memory any more when waits have ended.
void Queue::end_waits(const Error& cause) noexcept {
  shared_.host.close();
  timeline_.fail(cause);
}

Result<std::uint64_t> Queue::submit(std::span<const QueuePoint> waits, const Commands& commands) {
  PINTLE_TRY(shared_.loss->check());
  return steps_->submit(waits, commands);
}

Result<std::uint64_t> Queue::reached() {
  auto serial = timeline_.reached();
  if (serial) steps_->reach(*serial);
  return serial;
}

/// Looks for as long as most work takes, since a thread that sleeps is woken late.
Result<void> Queue::wait(std::uint64_t serial, Deadline deadline) {
  host::IdleSpin spin(microseconds(100));
  while (true) {
    PINTLE_ASSIGN(reached, timeline_.reached());
    if (reached >= serial || !spin.may_go_on(deadline)) break;
  }
  auto waited = timeline_.wait(serial, deadline);
  if (waited) steps_->reach(serial);
  return waited;
}

/// `start` follows where there is room. What moves bytes waits for launches on their way, so that it is short only
/// where there are none.
bool Queue::has_room(const Commands& commands, kit::Kinds kinds) {
  found_.clear();
  const bool is_short =
      (kit::are_only(kinds, kit::kinds_of<backend::Exec>) || line_->is_idle()) && find_short(commands);
  if (!is_short) found_.clear();
  return is_short;
}

bool Queue::find_short(const Commands& commands) {
  nanoseconds sum{};
  for (const Command& command : commands.commands) {
    auto [took, variant] = estimate(command, commands);
    if (took >= short_run || took > longest_here - sum) return false;
    sum += took;
    found_.push_back(std::move(variant));
  }
  return true;
}

/// Runs `body(flight)` as a piece of work. A failure is the submission's, and the device goes on.
template <class Body>
Result<void> Queue::run(std::optional<std::uint64_t> serial, Body body) {
  timeline_.reserve();
  const std::shared_ptr<Flight> flight = begin_flight(line_, serial);
  auto failed = line_->begin();
  if (!failed) {
    const auto ran = base::contain("running commands", [&] { return body(*flight); });
    if (!ran) failed = ran.error();
  }
  if (failed) flight->fail(*failed);
  timeline_.add(flight, serial);
  flight->seal();
  line_->end();
  return {};
}

/// For a body that touches the host's memory.
template <class Body>
Result<void> Queue::touch_host(Body body) {
  if (!shared_.host.enter()) return shared_.loss->lose(Error(Errc::internal, "The device is being lost."));
  auto answered = base::contain("running commands", body);
  shared_.host.leave();
  return answered;
}

/// Other queues' work that this waits for has been started: its tensors are in their blocks, and the host's bytes
/// there. Launches that a thread runs inside of submit touch nothing that core frees meanwhile.
Result<void> Queue::start(const kit::StepQueue::Piece& piece) {
  std::vector<SharedVariant> found = std::exchange(found_, {});  // the next piece is another list
  const bool has_only_launches = !found.empty() && std::ranges::find(found, nullptr) == found.end();
  auto ran = run(piece.serial, [&](Flight& flight) {
    const auto run_all = [&] { return Runner(shared_.client, flight, piece.commands, space_).run_all(found); };
    return has_only_launches ? run_all() : touch_host(run_all);
  });
  found.clear();
  found_ = std::move(found);  // for its memory
  return ran;
}

/// A copy that was late is a step, too.
Result<void> Queue::step(const Command& command, const Commands& list) {
  return run(std::nullopt, [&](Flight& flight) {
    return touch_host([&]() -> Result<void> {
      if (const auto* const called = std::get_if<backend::HostCall>(&command.operation)) {
        called->call(called->state);
        return {};
      }
      return Runner(shared_.client, flight, list, space_).run(command);
    });
  });
}

}  // namespace pintle::pjrt
