// What follows a wait that a caller has given up.
#include <memory>
#include <thread>

#include "base/contain.h"
#include "core/life/life.h"
#include "core/queue/queue_state.h"
#include "core/time/reactor.h"
#include "pintle/default_timeout.h"

namespace pintle::core {
namespace {

/// Asks the device on a thread of its own: it may take seconds.
bool look_into(const std::shared_ptr<Life>& life) {
  std::thread([life] {
    static_cast<void>(base::contain("looking into a device", [&] { return check_up(life); }));
    life->checkups().end_suspicion();
  }).detach();
  return true;
}

}  // namespace

// A kernel may be long: a program that has longer ones than the default deadline of its waits sets that deadline.
void QueueState::suspect() noexcept { suspect_after(default_timeout()); }

// Nothing watches the work meanwhile: a driver might keep a caller whose deadline has passed. Where the work has come
// and nobody has seen it, the device answers.
void QueueState::suspect_after(Duration patience) noexcept {
  const std::uint64_t next = oldest_native();
  if (next == 0 || is_driven() || !life().checkups().begin_suspicion()) return;
  const std::weak_ptr<Life> device = life().keep(life());
  const auto settle = [device, queue = weak_from_this(), next](const Result<void>&) {
    const auto alive = device.lock();
    if (alive == nullptr) return;
    const auto its = std::static_pointer_cast<QueueState>(queue.lock());
    const bool is_stuck = its != nullptr && its->oldest_native() == next && !alive->is_lost();
    if (!is_stuck || !base::contain_or(false, [&] { return look_into(alive); })) alive->checkups().end_suspicion();
  };
  const auto begun = base::contain("suspecting a device", [&] {
    const auto never = std::make_shared<SignalState>(std::weak_ptr<Observable>(), 0, "a suspicion");
    return Reactor::instance().then(never, 1, settle, patience);
  });
  if (!begun) life().checkups().end_suspicion();
}

}  // namespace pintle::core
