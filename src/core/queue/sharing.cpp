// Forks: buffers that share their bytes until one of them is written.
#include <algorithm>
#include <mutex>
#include <utility>

#include "base/inside.h"
#include "core/queue/queue_state.h"
#include "core/time/coming.h"
#include "kit/accesses.h"

namespace pintle::core {
namespace {

/// The last unfinished write of the buffer. It is known where all such writes are of `queue` and a backend has them.
struct LastWrite {
  bool is_known = true;
  std::uint64_t serial = 0;  // 0: none is unfinished
};

LastWrite last_write(const BufferRecord& record, std::uint64_t queue, const Clocks& clocks) {
  LastWrite last;
  for (const Stamp& stamp : record.stamps) {
    if (stamp.written == 0 || clocks.is_finished(stamp.queue, stamp.written)) continue;
    if (stamp.queue == queue) last.serial = stamp.written;
    last.is_known &= stamp.queue == queue && clocks.is_native(queue, stamp.written);
  }
  return last;
}

}  // namespace

// A fork has the bytes of this moment of this queue. The buffers may share them only where every later write is known
// to come after that moment: points may order a held write, or another queue's write, differently.
Result<std::optional<Buffer>> QueueState::fork(const BufferView& of, const std::string& label) {
  auto shared = std::make_shared<SharedBytes>();
  BufferRecord fork;
  fork.label = label;
  const Locked locked = life().lock();
  BufferRecord* record = table_->find(Inside::buffer(of), locked);
  if (record == nullptr) return table_->stale(Inside::buffer(of));
  if (record->is_lazy() || (record->is_pinned && !record->is_sealed) || record->may_be_written_outside())
    return std::optional<Buffer>();
  const LastWrite last = last_write(*record, number_, table_->clocks(locked));
  if (!last.is_known) return std::optional<Buffer>();
  table_->reserve(locked);
  record = table_->find(Inside::buffer(of), locked);
  if (record->shared == nullptr) {
    shared->owners = 1;
    shared->origin = std::move(record->origin);
    record->origin = {};
    record->shared = std::move(shared);
  }
  SharedBytes& bytes = *record->shared;
  ++bytes.owners;
  fork.formation = record->formation;
  if (last.serial != 0) fork.formation = bytes.formation = {number_, last.serial};
  if (bytes.formation.queue == 0) bytes.formation = record->formation;
  fork.memory = record->memory;
  fork.base = record->base;
  fork.size = record->size;
  fork.alignment = record->alignment;
  fork.placement = record->placement;
  fork.shared = record->shared;
  table_->note_special(locked);
  return std::optional<Buffer>(table_->keep(std::move(fork), of.dtype(), of.shape(), locked));
}

/// Calls `visit(range)` for each range of a buffer that a held submission names.
template <class Visit>
void for_each_use(Flight& held, std::uint64_t buffer, Visit visit) {
  const auto look = [&](backend::Range& range, Access = Access::read) {
    if (range.slot == backend::no_slot && range.buffer == buffer) visit(range);
  };
  auto& arguments = Inside::arguments(held.list);
  for (backend::Command& command : Inside::commands(held.list))
    kit::for_each_range(command, std::span(arguments), look);
  for (backend::Command& command : held.replay) kit::for_each_range(command, std::span(held.arguments), look);
  for (backend::Binding& binding : held.bindings) {
    if (auto* const range = std::get_if<backend::Range>(&binding)) look(*range);
  }
}

// A held list was resolved when it was accepted. It may only read shared bytes: a buffer that it writes got bytes of
// its own then.
void QueueState::reserve_redirection(std::uint64_t buffer, Stamps& uses, const Locked&) {
  for (std::uint64_t serial = clock_.native.load() + 1; serial - 1 != clock_.last; ++serial) {
    Flight& held = flight(serial);
    bool is_used = false;
    for_each_use(held, buffer, [&](backend::Range&) { is_used = true; });
    if (!is_used) continue;
    held.after.reserve(held.after.size() + 1);
    uses.reserve_one([](const Stamp&) { return false; });
    uses.set(number_, serial, false);
  }
}

void QueueState::redirect(const Redirection& redirection, const Locked&) noexcept {
  for (std::uint64_t serial = clock_.native.load() + 1; serial - 1 != clock_.last; ++serial) {
    Flight& held = flight(serial);
    bool is_used = false;
    for_each_use(held, redirection.buffer, [&](backend::Range& range) {
      if (range.memory != redirection.from) return;
      range.memory = redirection.to;
      range.offset -= redirection.from_base;
      is_used = true;
    });
    if (!is_used || redirection.by.queue == number_) continue;
    held.is_plain = false;
    held.after.push_back(redirection.by);
  }
}

void QueueState::add_held(std::uint64_t buffer, std::vector<Point>& points, const Locked&) {
  for (std::uint64_t serial = clock_.native.load() + 1; serial - 1 != clock_.last; ++serial) {
    bool is_used = false;
    for_each_use(flight(serial), buffer, [&](backend::Range&) { is_used = true; });
    if (is_used) points.push_back(SignalState::point(timeline_, serial));
  }
}

void QueueState::add_held(const Loan& loan, std::vector<Point>& points) {
  const Locked locked = life().lock();
  for (std::uint64_t serial = clock_.native.load() + 1; serial - 1 != clock_.last; ++serial) {
    if (std::ranges::find(flight(serial).loans, &loan) != flight(serial).loans.end())
      points.push_back(SignalState::point(timeline_, serial));
  }
}

void QueueState::come_after(std::uint64_t serial, const Point& point) {
  const Locked locked = life().lock();
  if (is_native(serial) || serial > clock_.last) return;
  flight(serial).is_plain = false;
  flight(serial).behind.push_back(point);
}

std::optional<Point> QueueState::over(std::uint64_t serial) {
  const Call call(*this);
  if (!call.is_allowed()) return std::nullopt;
  const Locked locked = life().lock();
  if (life().is_lost() || serial <= clock_.reached || !is_native(serial)) return std::nullopt;
  Flight& running = flight(serial);
  if (!running.over) {
    running.over = std::make_unique<Raise>(std::make_shared<SignalState>(0, std::string()),
                                           Promise{.value = 1, .point = {shared_from_this(), serial}});
    running.is_plain = false;
    static_cast<void>(running.over->signal->promise(running.over->promise));
  }
  return SignalState::point(running.over->signal, 1);
}

namespace {

// Only a submission that does not come by itself is made to wait, and only for a copy that comes without it. So no
// circle closes, as long as each decision sees those before it; hence the mutex.
void hold_behind(const Point& copy, const std::vector<Point>& held) {
  if (held.empty()) return;
  static std::mutex& mutex = *new std::mutex;
  const std::lock_guard lock(mutex);
  for (const Point& left : left_behind(copy, held)) {
    for (const NativePoint& promised : Inside::signal(left)->promised(left.value()))
      promised.queue->come_after(promised.serial, copy);
  }
}

}  // namespace

// A write that waited for the host when the fork was made is not part of the fork. Where the copy waits for the host
// too, points alone say which of the two comes first.
void QueueState::note_copy(std::uint64_t of, std::uint64_t copy, std::uint64_t serial) {
  std::vector<Point> held;
  if (const auto loan = note_formation(of, copy, serial, held)) loan->add_held(held);
  hold_behind(SignalState::point(timeline_, serial), held);
}

/// Returns the loan of the bytes, if there is one: other devices' queues may hold writes too.
std::shared_ptr<Loan> QueueState::note_formation(std::uint64_t of, std::uint64_t copy, std::uint64_t serial,
                                                 std::vector<Point>& held) {
  std::shared_ptr<Loan> loan;
  const Locked locked = life().lock();
  if (table_->clocks(locked).is_finished(number_, serial)) return loan;
  table_->note_special(locked);
  if (BufferRecord* const record = table_->find(of, locked)) {
    const auto is_finished = [&](const Stamp& stamp) { return table_->clocks(locked).is_finished(stamp); };
    record->copied_by.reserve(2, is_finished);  // one place is for a submission that is being prepared
    record->copied_by.set(number_, serial);
    loan = record->loan.lock();
  }
  if (BufferRecord* const record = table_->find(copy, locked)) record->formation = {number_, serial};
  siblings_.add_held(of, held, locked);
  return loan;
}

}  // namespace pintle::core
