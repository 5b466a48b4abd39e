#include "backends/webgpu/queue.h"

#include <chrono>
#include <thread>
#include <variant>

#include "base/contain.h"

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
  const auto stepping = shared.progress == Progress::driven ? kit::Stepping::caller : kit::Stepping::courier;
  steps_.emplace(shared.steps, id, first_serial, static_cast<kit::StepQueue::Native&>(*this), kit::HostCopies::all,
                 stepping);
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

Result<bool> Queue::is_reached(std::uint64_t serial) {
  PINTLE_ASSIGN(reached, reached());
  return reached >= serial;
}

void Queue::drive() noexcept { steps_->drive(); }

/// Inline: this thread takes the steps of all queues, since one may be behind another, and lets callbacks come.
void Queue::drive_all(std::uint64_t serial, Deadline deadline) {
  constexpr std::chrono::microseconds shortest(20), longest(500);
  auto nap = shortest;
  const Deadline awake_until = Clock::now() + std::chrono::microseconds(100);
  while (true) {
    for (const std::shared_ptr<Queue>& each : shared_.table.all()) each->drive();
    const auto is_over = is_reached(serial);
    if (!is_over || *is_over || Clock::now() >= deadline) return;
    if (Clock::now() < awake_until) {
      std::this_thread::yield();
      continue;
    }
    std::this_thread::sleep_until(std::min(deadline, Clock::now() + nap));
    nap = std::min(nap * 3 / 2, longest);
  }
}

/// Asks the device itself for as long as most work takes, since a thread that sleeps is woken late.
Result<void> Queue::wait(std::uint64_t serial, Deadline deadline) {
  if (shared_.progress == Progress::driven) {
    const auto is_over = [&] { return is_reached(serial).value_or(true); };
    PINTLE_TRY(shared_.driver.drive(shared_.context.id(), deadline, is_over, [&] {
      static_cast<void>(base::contain("driving a device", [&]() -> Result<void> {
        drive_all(serial, deadline);
        return {};
      }));
    }));
    return timeline_.wait(serial, deadline);
  }
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
  failures.go_on();
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
