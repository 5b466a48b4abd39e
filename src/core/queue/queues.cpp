#include "core/queue/queues.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/contain.h"
#include "base/inside.h"
#include "core/door/describe.h"
#include "core/door/thread_context.h"
#include "core/life/life.h"
#include "core/time/coming.h"
#include "core/time/reactor.h"

namespace pintle::core {

Result<std::shared_ptr<QueueState>> Queues::create(const QueueOptions& options) {
  PINTLE_TRY(life_.usable());
  if (options.kind != QueueKind::compute && options.kind != QueueKind::copy) {
    return invalid(fmt::format("Queue kind ({}) does not exist.", static_cast<int>(options.kind)));
  }
  const Capability copies = life_.info().capability(Feature::copy_queue);
  if (options.kind == QueueKind::copy && copies.support == Support::absent)
    return Error(Errc::unsupported, fmt::format("{} has no copy queues: {}.", life_.text(), copies.detail));
  return make(options, "creating a queue",
              [this](const backend::QueueRequest& request) { return life_.device().create_queue(request); });
}

Result<std::shared_ptr<QueueState>> Queues::wrap(const backend::NativeObject& queue, const QueueOptions& options) {
  PINTLE_TRY(life_.usable());
  return make(options, "wrapping a queue for " + life_.text(),
              [&](const backend::QueueRequest& request) { return life_.device().wrap_queue(queue, request); });
}

template <class Create>
Result<std::shared_ptr<QueueState>> Queues::make(const QueueOptions& options, std::string_view what, Create create) {
  const std::uint64_t first = first_serial();
  const auto created = [&] {
    const Turn turn = life_.take_turn();
    return create({options.kind, first, options.label});
  }();
  if (!created) return life_.report(created.error()).during(std::string(what));
  auto kept = base::contain(what, [&] { return keep(*created, options, first); });
  if (kept || life_.is_lost()) return kept;
  const Turn turn = life_.take_turn();
  life_.device().destroy_queue(*created);
  return kept;
}

Result<std::shared_ptr<QueueState>> Queues::keep(backend::QueueId id, const QueueOptions& options,
                                                 std::uint64_t first) {
  const auto queue = std::make_shared<QueueState>(life_.keep(table_), id, options.kind, first,
                                                  object_text("Queue", next_++, options.label));
  auto handle = handle_to(queue);
  const Locked locked = life_.lock();
  QueueList one{queue};
  queue->begin(locked);
  queue->place(locked) = {one.begin(), ++added_};
  all_.splice(all_.end(), one);
  return handle;
}

std::shared_ptr<QueueState> Queues::handle_to(const std::shared_ptr<QueueState>& queue) {
  return make_handle(life_, queue, [this](const auto& gone) { abandon(gone); });
}

template <class Visit>
void Queues::for_each(const Locked&, Visit visit) {
  for (auto next = all_.begin(); next != all_.end();) visit(*next++);
}

QueueState* Queues::Each::next() noexcept {
  std::shared_ptr<QueueState> last = std::move(at_);  // destroyed without the lock
  const Locked locked = queues_.life_.lock();
  QueueList& all = queues_.all_;
  const auto is_later = [&](const auto& each) { return each->place(locked).order > last->place(locked).order; };
  auto place = all.begin();
  if (last != nullptr)
    place = last->is_over(locked) ? std::ranges::find_if(all, is_later) : std::next(last->place(locked).at);
  if (place == all.end() || (*place)->place(locked).order > newest_) return nullptr;
  at_ = *place;
  return at_.get();
}

Result<void> Queues::ask_all() {
  for (Each each(*this); QueueState* const queue = each.next();) PINTLE_TRY(queue->ask());
  return {};
}

void Queues::abandon(const std::shared_ptr<QueueState>& queue) noexcept {
  if (base::in_forked_child() || queue->number() == 0) return;  // 0: there was no memory to add it
  std::uint64_t unfinished = 0;
  {
    Worklist worklist;
    const Locked locked = life_.lock();
    unfinished = queue->abandon(locked);
    queue->go_if_over(worklist, locked);
  }
  if (unfinished != 0) queue->watch(unfinished);
}

void Queues::dispose_finished(Worklist& worklist, const Locked& locked) noexcept {
  table_.dispose_finished(worklist, locked);
  if (table_.abandoned(locked) != 0) {
    pools_.dispose(worklist, locked);
    recordings_.dispose(worklist, locked);
  }
  if (!over_.empty()) worklist.add(life_.keep(*this));
}

bool Queues::end(Observer& queue, Worklist& worklist, const Locked& locked) noexcept {
  auto& ending = static_cast<QueueState&>(queue);
  std::ranges::replace(spare_, &ending, nullptr);
  const auto room = std::ranges::find(spare_, nullptr);
  if (ending.place(locked).is_mover && room != spare_.end() && !queue.failure(locked) && !life_.is_lost()) {
    *room = &ending;
    return false;
  }
  over_.splice(over_.end(), all_, ending.place(locked).at);
  worklist.add(life_.keep(*this));
  return true;
}

// Work that is held comes here again when it starts.
void Queues::look_after(const Stamps& stamps, const Locked& locked) noexcept {
  for (const Stamp& stamp : stamps) {
    const auto awaited = table_.clocks(locked).unfinished(stamp.queue, stamp.serial);
    if (!awaited) continue;
    const auto native = awaited->clock.timeline->native_point(std::min(awaited->serial, awaited->clock.native.load()));
    if (native) static_cast<Observer&>(*native->queue).owe(awaited->serial, locked);
  }
}

void Queues::run_deferred(Worklist& worklist) noexcept {
  while (destroy_one(worklist)) {
  }
}

/// Destroys one queue that has no handle and no work. Where a call is still running, the call's end comes here again.
bool Queues::destroy_one(Worklist& worklist) noexcept {
  std::shared_ptr<QueueState> queue;
  const Turn turn = life_.try_turn(life_.keep(*this), worklist);
  if (!turn.is_taken()) return false;
  {
    const Locked locked = life_.lock();
    const auto over = std::ranges::find_if(over_, [&](const auto& each) { return each->try_end_calls(locked); });
    if (over == over_.end()) return false;
    queue = *over;
    over_.erase(over);
    table_.clocks(locked).remove(queue->number());  // no stamp of this queue means anything any more
    Reactor::instance().forget(*queue);
  }
  if (!life_.is_lost()) life_.device().destroy_queue(queue->id());
  return true;
}

void Queues::lose(const Error& error, Worklist& worklist, const Locked& locked) noexcept {
  for_each(locked, [&](const auto& queue) {
    queue->lose(error, worklist, locked);
    queue->go_if_over(worklist, locked);
  });
  dispose_finished(worklist, locked);
}

Result<void> Queues::wait_for(const Stamps& stamps, Deadline deadline) {
  for (const Stamp& stamp : stamps) {
    Point point;
    {
      const Locked locked = life_.lock();
      const auto awaited = table_.clocks(locked).unfinished(stamp.queue, stamp.serial);
      if (!awaited) continue;
      point = awaited->point();
    }
    PINTLE_TRY(Inside::signal(point)->wait(point.value(), deadline));
  }
  return {};
}

Result<std::shared_ptr<QueueState>> Queues::take_mover() {
  const auto idle = [this]() -> std::shared_ptr<QueueState> {
    const Locked locked = life_.lock();
    const auto spare = std::ranges::find_if(spare_, [](const auto* each) { return each != nullptr; });
    if (spare == spare_.end()) return nullptr;
    QueueState& taken = **spare;
    *spare = nullptr;
    taken.take_up(locked);
    return *taken.place(locked).at;
  }();
  if (idle != nullptr) return handle_to(idle);
  PINTLE_ASSIGN(made, create({.label = "crossing"}));
  made->place(life_.lock()).is_mover = true;
  return std::move(made);
}

void Queues::drive() {
  if (!life_.is_driven()) return;
  for (Each each(*this); QueueState* const queue = each.next();) queue->drive();
}

Result<void> Queues::poll() {
  drive();
  for (Each each(*this); QueueState* const queue = each.next();) {
    Worklist worklist;
    const auto observed = queue->observe(worklist);
    await(queue->timeline()->letting_go(), Deadline::max());
    if (!observed) return observed;
  }
  return {};
}

// A queue that has failed may still run what came before the failure, and other queues go on. The failure of a queue
// without a handle is not returned: its caller does not ask how it ended.
Result<void> Queues::wait_idle(Deadline deadline) {
  drive();
  Result<void> answer;
  for (Each each(*this); QueueState* const queue = each.next();) {
    const Point last = queue->last();
    const auto waited = queue->timeline()->wait(last.value(), deadline);
    if (waited) continue;
    if (queue->timeline()->timeline().status(last.value()) == PointStatus::pending) return waited;
    if (no_blocking > 0) return blocking_refused("Waiting for " + queue->text());
    PINTLE_TRY(wait_for_rest(*queue, deadline));
    const Locked locked = life_.lock();
    if (answer && !queue->is_abandoned(locked)) answer = waited;
  }
  return answer;
}

// Waits for the work before the failure, held or not.
Result<void> Queues::wait_for_rest(QueueState& queue, Deadline deadline) {
  for (;;) {
    PINTLE_TRY(queue.wait_rest(deadline));
    std::uint64_t rest = 0;
    {
      const Locked locked = life_.lock();
      rest = queue.flights().last();
    }
    const auto is_pending = [&] { return queue.timeline()->timeline().status(rest) == PointStatus::pending; };
    if (!is_pending()) return {};
    if (const auto waited = queue.timeline()->wait(rest, deadline); !waited && is_pending()) return waited;
  }
}

// Held work that waits for other devices is given to this device when their points come.
Result<void> Queues::drain(Deadline deadline) {
  for (bool busy = true; busy;) {
    drive();
    busy = false;
    for (Each each(*this); QueueState* const queue = each.next();) {
      PINTLE_ASSIGN(waited, queue->wait_rest(deadline));
      busy |= waited;
    }
    if (!busy) busy = wait_held(deadline);
  }
  return {};
}

/// Waits until held submissions that come by themselves have started or failed; false where there are none, and where
/// no time is left.
bool Queues::wait_held(Deadline deadline) {
  std::vector<std::shared_ptr<QueueState>> queues;
  std::vector<std::vector<Point>> waits;
  bool is_busy = false;
  for (Each each(*this); QueueState* const queue = each.next();) {
    std::vector<Point> points;
    if (queue->add_first_held(points)) {
      queues.push_back(std::static_pointer_cast<QueueState>(queue->shared_from_this()));
      waits.push_back(std::move(points));
    } else {
      const Locked locked = life_.lock();
      is_busy |= !life_.is_lost() && queue->flights().has_native();  // another thread has started it meanwhile
    }
  }
  const std::vector<bool> comes = which_come(waits);
  for (std::size_t i = 0; i < queues.size(); ++i)
    if (comes[i]) is_busy |= queues[i]->wait_held(waits[i], deadline);
  return is_busy;
}

bool Queues::close(const Error& cause, Worklist& worklist) {
  const Locked locked = life_.lock();
  bool unfinished = false;
  for_each(locked, [&](const auto& queue) {
    queue->cancel_held(cause, worklist, locked);
    unfinished |= !life_.is_lost() && queue->flights().count() != 0;
    static_cast<void>(queue->abandon(locked));
    queue->place(locked).is_mover = false;
  });
  for_each(locked, [&](const auto& queue) { queue->go_if_over(worklist, locked); });
  dispose_finished(worklist, locked);
  return !unfinished;
}

}  // namespace pintle::core
