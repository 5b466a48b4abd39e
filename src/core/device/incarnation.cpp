#include "core/device/incarnation.h"

#include <fmt/format.h>

#include <thread>
#include <utility>

#include "base/contain.h"
#include "base/log.h"
#include "core/device/process_end.h"
#include "core/door/keep_for_ever.h"
#include "core/door/thread_context.h"
#include "core/life/checkup.h"
#include "core/life/handle.h"
#include "core/life/owners.h"
#include "core/time/reactor.h"

namespace pintle::core {
namespace {

constexpr auto drain_limit = std::chrono::seconds(5);

}  // namespace

Result<std::shared_ptr<Incarnation>> Incarnation::open(const std::string& id, std::uint64_t generation,
                                                       std::unique_ptr<backend::Device> device) {
  auto incarnation = std::make_shared<Incarnation>(id, generation, std::move(device));
  Life& life = incarnation->life();
  set_owner(life.number(), std::shared_ptr<void>(incarnation, &incarnation->buffers()));
  const DeviceKind kind = life.info().kind;
  if (kind != DeviceKind::cpu && kind != DeviceKind::simulated) end_with_process(incarnation, life.presence());
  const auto lease = life.begin(incarnation);
  Reactor::instance().opened(life.is_driven());
  return std::shared_ptr<Incarnation>(lease, incarnation.get());
}

std::shared_ptr<ProgramState> Incarnation::hand_out(std::shared_ptr<ProgramState> program) const {
  return make_handle(life_, std::move(program), [](const auto&) {});
}

// A lost backend touches nothing any more, so what submissions own can go at once.
void Incarnation::lose(const Error& error, Locked& locked, Worklist& worklist) noexcept {
  queues_.lose(error, worklist, locked);
  buffers_.lose(worklist, locked);
}

// The last lease has gone, so nobody can submit any more.
void Incarnation::close() noexcept {
  if (base::in_forked_child())  // any lock may be held by a thread that exists in the parent only
    return keep_for_ever(life_.keep(*this));
  Reactor::instance().closed(life_.is_driven());
  if (no_blocking == 0 && others_wait == 0) return finish_close();
  try {  // a callback may not block, nor a thread that has yet to start what the device waits for
    std::thread([self = life_.keep(*this)] { self->finish_close(); }).detach();
  } catch (const std::exception& refusal) {
    leak(refusal.what());
  }
}

void Incarnation::leak(std::string_view reason) noexcept {
  is_left_.store(true);
  base::log(LogLevel::error, "core", "[{}] leaks: {}", life_.id(), reason);
  keep_for_ever(life_.keep(*this));
}

void Incarnation::end(Deadline deadline) noexcept {
  keep_for_ever(life_.keep(*this));
  finish_use(deadline);
  life_.await_asking(deadline);  // no thread begins to ask a lost device
}

void Incarnation::finish_use(Deadline deadline) noexcept {
  if (life_.is_lost()) return;
  const auto drained =
      is_left_.load() ? Result<void>() : base::contain("draining a device", [&] { return queues_.drain(deadline); });
  if (!drained)
    base::log(LogLevel::warn, "core", "[{}] is busy when the process ends: {}", life_.id(), drained.error().message());
  Worklist worklist;
  Locked locked = life_.lock();
  life_.lose(Error(Errc::process_poisoned, "The process ends."), locked, worklist);
}

void Incarnation::finish_close() noexcept {
  const auto closed = base::contain("closing a device", [&]() -> Result<void> {
    const auto drained = life_.is_lost() ? Result<void>() : queues_.drain(deadline_after(Clock::now(), drain_limit));
    if (!drained) static_cast<void>(check_up(life_.keep(life_)));  // a device that does not answer is lost, and closes
    const Error cancelled(Errc::cancelled, fmt::format("{} is closed: its last owner has gone.", life_.text()));
    Worklist worklist;
    if (queues_.close(cancelled, worklist)) return {};
    return drained ? Error(Errc::internal, "it is not idle.") : drained;
  });
  if (!closed) leak(closed.error().message());
}

}  // namespace pintle::core
