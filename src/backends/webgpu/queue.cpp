#include "backends/webgpu/queue.h"

#include <chrono>
#include <thread>
#include <variant>

namespace pintle::webgpu {

using backend::Commands;
using backend::QueueId;
using backend::QueuePoint;

QueueId Queue::create(QueueContext& shared, std::uint64_t first_serial) {
  const QueueId id = shared.table.next_id();
  shared.table.add(id, std::make_shared<Queue>(shared, id, first_serial));
  return id;
}

Queue::Queue(QueueContext& shared, QueueId id, std::uint64_t first_serial)
    : shared_(shared), timeline_(FlightRules{&shared.flights, shared.context.shared_loss()}, first_serial) {
  steps_.emplace(shared.steps, id, first_serial, static_cast<kit::StepQueue::Native&>(*this), kit::HostCopies::all);
  shared_.context.shared_loss()->add(*this);
}

Queue::~Queue() { shared_.context.shared_loss()->remove(*this); }

Result<std::uint64_t> Queue::submit(std::span<const QueuePoint> waits, const Commands& commands) {
  PINTLE_TRY(shared_.context.alive());
  return steps_->submit(waits, commands);
}

Result<std::uint64_t> Queue::reached() {
  auto serial = timeline_.reached();
  if (serial) steps_->reach(*serial);
  return serial;
}

/// Asks the device itself for as long as most work takes, since a thread that sleeps is woken late.
Result<void> Queue::wait(std::uint64_t serial, Deadline deadline) {
  const Deadline awake_until = std::min(deadline, Clock::now() + std::chrono::microseconds(100));
  while (Clock::now() < awake_until) {
    PINTLE_ASSIGN(reached, timeline_.reached());
    if (reached >= serial) break;
    std::this_thread::yield();
  }
  auto waited = timeline_.wait(serial, deadline);
  if (waited) steps_->reach(serial);
  return waited;
}

bool Queue::is_step(const backend::Command& command) const noexcept {
  return std::holds_alternative<backend::HostCall>(command.operation);
}

/// Points of other queues need no wait: the submissions that reach them have gone to the same native queue before.
Result<void> Queue::start(const kit::StepQueue::Piece& piece) { return run(piece.commands, piece.serial); }

Result<void> Queue::run(const Commands& commands, std::optional<std::uint64_t> serial) {
  Context& context = shared_.context;
  PINTLE_TRY(context.alive());
  timeline_.reserve();
  const auto flight = std::make_shared<Flight>(shared_.pool);
  Catch failures(context);
  Recorder recorder(context, shared_.own, *flight);
  PINTLE_TRY(recorder.record(commands));
  PINTLE_TRY(recorder.finish());
  PINTLE_TRY(failures.check("the commands"));
  PINTLE_TRY(shared_.flights.submit(flight));
  if (const auto taken = failures.check("the submission"); !taken) return context.lose(taken.error());
  timeline_.add(flight, serial);
  return {};
}

/// A copy that was late is a step, too.
Result<void> Queue::step(const backend::Command& command, const Commands& list) {
  const auto* const called = std::get_if<backend::HostCall>(&command.operation);
  if (called == nullptr) return run({std::span(&command, 1), list.arguments}, std::nullopt);
  if (!shared_.context.host().enter()) return shared_.context.loss();
  called->call(called->state);
  shared_.context.host().leave();
  return {};
}

}  // namespace pintle::webgpu
