#include "core/device/incarnation.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "base/contain.h"
#include "base/fork.h"
#include "base/immortal.h"
#include "base/log.h"
#include "base/platform.h"
#include "core/door/thread_context.h"
#include "core/life/life.h"
#include "core/time/reactor.h"

namespace pintle::core {
namespace {

constexpr auto drain_limit = std::chrono::seconds(5);

/// An object that can neither be finished nor destroyed.
struct Kept {
  std::shared_ptr<void> object;
  Kept* next;
};
constinit std::atomic<Kept*> all_kept{nullptr};

/// Keeps `object` until the process ends, where leak checkers can reach it. Takes no lock: a forked child may call it.
void keep_for_ever(std::shared_ptr<void> object) noexcept {
  auto* const kept = new (std::nothrow) Kept{nullptr, all_kept.load()};
  if (kept == nullptr) {
    static_cast<void>(base::Immortal<std::shared_ptr<void>>(std::move(object)));  // where no leak checker finds it
    return;
  }
  kept->object = std::move(object);
  while (!all_kept.compare_exchange_weak(kept->next, kept)) {
  }
}

/// A device of a vendor's library, which is to be quiet before the process ends.
struct Ending {
  std::weak_ptr<Life::Body> device;
  std::weak_ptr<const void> presence;
};

struct Endings {
  std::mutex mutex;
  std::vector<Ending> all;

  static Endings& instance() {
    static Endings& endings = *new Endings;
    return endings;
  }
};

constexpr auto patience = std::chrono::seconds(5);  // for all devices

/// Another thread dropped the last owner of the device, and is still inside the driver that is about to go.
void wait_until_closed(const Ending& ending, Deadline deadline) {
  while (!ending.presence.expired() && Clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

void end_all() {
  if (base::in_forked_child()) return;
  std::vector<Ending> ending;
  {
    std::lock_guard lock(Endings::instance().mutex);
    ending = std::exchange(Endings::instance().all, {});
  }
  const Deadline deadline = deadline_after(Clock::now(), patience);
  for (const Ending& each : ending) {
    if (const auto device = each.device.lock()) device->end(deadline);
    else wait_until_closed(each, deadline);
  }
}

/// Registers the device with `exit`. Its end comes before the static objects of the libraries that it was opened with:
/// its work is finished, it counts as lost, and it is never destroyed. Older static objects of the user find it lost.
/// Where another thread is closing the device at that moment, `exit` waits until `presence` has expired.
void end_with_process(std::weak_ptr<Life::Body> device, std::weak_ptr<const void> presence) {
  {
    std::lock_guard lock(Endings::instance().mutex);
    auto& all = Endings::instance().all;
    std::erase_if(all, [](const Ending& each) { return each.presence.expired(); });
    all.push_back({std::move(device), std::move(presence)});
  }
  // `exit` runs the last registered function first, so this one is registered again after each library that the device
  // may have loaded. A registration cannot be undone.
  static std::atomic<std::uint64_t> known{0};
  const std::uint64_t loaded = base::libraries_loaded();
  if (known.exchange(loaded) != loaded) std::atexit(end_all);
}

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
  life_.checkups().await_asking(deadline);  // no thread begins to ask a lost device
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
