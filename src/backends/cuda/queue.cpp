#include "backends/cuda/queue.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "backends/cuda/call.h"
#include "backends/cuda/recording.h"
#include "base/contain.h"
#include "kit/bound.h"

namespace pintle::cuda {

using backend::Commands;
using backend::QueueId;
using backend::QueuePoint;

namespace {

/// Behind 1,021 launches the next call of the driver blocks; two of ours may come between.
constexpr std::size_t most_started = 1000;

/// A copy that is too large to be staged whole.
bool is_large(const backend::Command& command) noexcept { return host_bytes_of(command) > most_staged; }

/// `size` bytes of an upload or a download.
backend::Command part_of(backend::Command command, std::uint64_t offset, std::uint64_t size) noexcept {
  const auto narrow = [&](backend::Range& range, auto& host) {
    range.offset += offset;
    range.size = host.size = size;
    host.data += offset;
  };
  if (auto* const upload = std::get_if<backend::Upload>(&command.operation)) narrow(upload->to, upload->from);
  if (auto* const download = std::get_if<backend::Download>(&command.operation)) narrow(download->from, download->to);
  return command;
}

}  // namespace

/// A fill with a pattern of eight bytes is several calls, and so is a graph whose nodes the host launches one by one.
Queue::Needs Queue::needs_of(const Commands& list, kit::Kinds kinds) noexcept {
  if (kit::are_only(kinds, kit::kinds_of<backend::Exec, backend::Copy>)) return {list.commands.size(), 0};
  Needs needs;
  for (const backend::Command& command : list.commands) {
    if (const auto* const replay = std::get_if<backend::Replay>(&command.operation)) {
      const Recording& recording = Recordings::at(replay->recording);
      needs.calls += std::min(recording.launches(), most_started);
      needs.staged += recording.staged_bytes();
      continue;
    }
    const auto* const fill = std::get_if<backend::Fill>(&command.operation);
    needs.calls += fill != nullptr && !is_short(*fill) ? 40u : 1u;
    needs.staged += staged_bytes(command);
  }
  return needs;
}

Result<QueueId> Queue::create(QueueContext& shared, std::uint64_t first_serial) {
  vendor::cuda::Stream stream = nullptr;
  PINTLE_TRY(shared.context.call<&Calls::cuStreamCreate>(&stream, vendor::cuda::stream_non_blocking));
  return over(shared, stream, first_serial, Owner::us);
}

QueueId Queue::over(QueueContext& shared, vendor::cuda::Stream stream, std::uint64_t first_serial, Owner owner) {
  const QueueId id = shared.table.next_id();
  shared.table.add(id, std::make_shared<Queue>(shared, id, stream, owner, first_serial));
  return id;
}

Queue::Queue(QueueContext& shared, QueueId id, vendor::cuda::Stream stream, Owner owner, std::uint64_t first_serial)
    : shared_(shared),
      stream_(stream),
      owner_(owner),
      is_default_(stream == nullptr || stream == vendor::cuda::stream_legacy),
      timeline_(EventRules{&shared.context}, first_serial),
      started_serial_(first_serial),
      reported_(first_serial) {
  steps_.emplace(shared.steps, id, first_serial, static_cast<kit::StepQueue::Native&>(*this), kit::HostCopies::all);
  shared_.context.loss()->add(*this);
}

/// What is still on its way keeps its staged memory.
Queue::~Queue() {
  is_closing_.store(true);
  steps_.reset();
  shared_.context.loss()->remove(*this);
  if (!shared_.context.loss()->is_lost() && timeline_.wait_all(Clock::now())) {
    for (const auto& batch : started_) give_back(*batch);
    if (owner_ == Owner::us) static_cast<void>(api().cuStreamDestroy(stream_));
    return;
  }
  shared_.context.leave();
}

bool Queue::is_step(const backend::Command& command) const noexcept {
  return kit::is_for_host(command) || is_large(command);
}

bool Queue::begins_in_place(const backend::Command& command) const noexcept {
  return std::holds_alternative<backend::Timestamp>(command.operation);
}

/// Whether it touches the bytes of one of the timestamps, which are written when the piece is finished.
bool Queue::needs_end_of(std::span<const backend::Command* const> begun, const backend::Command& command,
                         const Commands& list) const noexcept {
  const auto recorded = [](const backend::Replay& replay) { return Recordings::at(replay.recording).list(); };
  bool touches = false;
  kit::for_each_bound_range(command, list, recorded, [&](const backend::Range& range, Access) {
    touches |= std::ranges::any_of(begun, [&, first = address_of(range)](const backend::Command* each) {
      const DevicePointer time = address_of(std::get_if<backend::Timestamp>(&each->operation)->to);
      return first < time + sizeof(std::uint64_t) && time < first + range.size;
    });
  });
  return touches;
}

Commands Queue::recorded(const backend::Replay& replay) const noexcept {
  const Recording& recording = Recordings::at(replay.recording);
  return recording.touches_host() ? recording.list() : Commands{};
}

/// Pinned memory that has to be asked of the driver is the courier's business, since that takes milliseconds.
bool Queue::has_room(const Commands& commands, kit::Kinds kinds) {
  const Needs needs = needs_of(commands, kinds);
  const auto fits = [&] {
    const std::lock_guard lock(mutex_);
    if (depth_ + needs.calls > most_started) return false;
    if (needs.staged != 0) reserved_ = shared_.memory.pinned().try_take(needs.staged);
    return needs.staged == 0 || reserved_.has_value();
  };
  if (!fits()) {
    static_cast<void>(reached());  // what is finished counts no more
    if (!fits()) return false;
  }
  fitting_ = needs;
  return true;
}

Result<std::uint64_t> Queue::submit(std::span<const QueuePoint> waits, const Commands& commands) {
  PINTLE_TRY(check_shared(commands));
  return steps_->submit(waits, commands);
}

Result<std::uint64_t> Queue::reached() {
  PINTLE_ASSIGN(serial, timeline_.reached());
  if (serial != reported_.load(std::memory_order_acquire)) PINTLE_TRY(retire(serial));
  return reported_.load(std::memory_order_acquire);
}

Result<void> Queue::wait(std::uint64_t serial, Deadline deadline) {
  PINTLE_TRY(timeline_.wait(serial, deadline));
  return retire(serial);
}

/// Called when the work up to `serial` is finished.
Result<void> Queue::retire(std::uint64_t serial) {
  const std::lock_guard lock(mutex_);
  if (!end(serial)) return shared_.context.cause();
  steps_->reach(serial);
  if (serial > reported_.load(std::memory_order_relaxed)) reported_.store(serial, std::memory_order_release);
  return {};
}

/// Delivers what the batches up to `serial` have downloaded, and frees what they held. False where the device is being
/// lost.
bool Queue::end(std::uint64_t serial) {
  auto batch = started_.begin();
  for (; batch != started_.end() && (*batch)->serial <= serial; ++batch) {
    if (!kit::deliver((*batch)->deliveries, shared_.context.host())) break;
    depth_ -= (*batch)->commands;
    for (Timed* const timed : (*batch)->timed) timed->learn();
    give_back(**batch);
    (*batch)->deliveries.clear();
    (*batch)->timed.clear();
    spare_.push_back(std::move(*batch));  // `run` has made room
  }
  started_.erase(started_.begin(), batch);
  return started_.empty() || started_.front()->serial > serial;
}

void Queue::give_back(Batch& batch) noexcept {
  if (batch.staged) shared_.memory.pinned().give_back(*std::exchange(batch.staged, std::nullopt));
}

Result<void> Queue::start(const Piece& piece) {
  const auto fitting = std::exchange(fitting_, std::nullopt);
  const Needs needs = fitting ? *fitting : needs_of(piece.commands, ~kit::Kinds{0});
  if (!fitting) PINTLE_TRY(await_room(needs.calls));
  return run(piece.waits, piece.serial, needs.staged, [&](Enqueue& enqueue) { return enqueue.all(piece.commands); });
}

/// Where the driver has no pinned memory, what has been started gives its own back. The submitting thread has reserved
/// what it needs, so only the courier waits.
Result<void> Queue::stage(Batch& batch, std::uint64_t size) {
  if (size == 0 || batch.staged) return {};
  const backend::MemoryRequest request{size, 1, Placement::host, "staging"};
  auto piece = shared_.memory.pinned().take(request);
  if (!piece && piece.error().code() == Errc::out_of_memory) {
    PINTLE_TRY(await_all());
    piece = shared_.memory.pinned().take(request);
  }
  if (!piece) return piece.error();
  batch.staged = *piece;
  return {};
}

/// What closes a piece is there before its first command starts. A command that has started cannot be taken back, so an
/// error behind it is the loss of the device.
template <class Body>
Result<void> Queue::run(std::span<const QueuePoint> waits, std::optional<std::uint64_t> serial, std::uint64_t staged,
                        Body body) {
  auto batch = take_batch();
  batch->staged = std::exchange(reserved_, std::nullopt);
  Event done;
  std::optional<Current> current;
  if (is_default_) current.emplace(shared_.context);  // which one it is depends on the thread's context
  const auto enqueued = base::contain("enqueuing", [&]() -> Result<void> {
    PINTLE_TRY(shared_.context.loss()->check());
    timeline_.reserve();
    {
      const std::lock_guard lock(mutex_);
      started_.reserve(started_.size() + 1);
      spare_.reserve(spare_.size() + started_.size() + 1);
    }
    PINTLE_TRY(stage(*batch, staged));
    PINTLE_ASSIGN(event, shared_.events.take());
    done = std::move(event);
    PINTLE_TRY(enqueue_waits(waits));
    Enqueue enqueue(Staging(shared_.context, *batch), stream_, shared_.clock, stamps_);
    return body(enqueue);
  });
  if (enqueued) return close(std::move(batch), std::move(done), serial);
  if (batch->commands != 0) return shared_.context.lose(enqueued.error());
  give_back(*batch);
  return enqueued.error();
}

/// One that has ended, with the room that it has for what it holds.
std::unique_ptr<Batch> Queue::take_batch() {
  const std::lock_guard lock(mutex_);
  auto batch = spare_.empty() ? std::make_unique<Batch>() : std::move(spare_.back());
  if (!spare_.empty()) spare_.pop_back();
  batch->used = batch->commands = 0;
  return batch;
}

/// Keeps the batch before its event is known: who sees the serial finds the batch.
Result<void> Queue::close(std::unique_ptr<Batch> batch, Event done, std::optional<std::uint64_t> serial) {
  batch->serial = serial.value_or(started_serial_ + 1);
  const auto recorded = shared_.context.call_plainly<&Calls::cuEventRecord>(done.get()->handle, stream_);
  if (!recorded) return shared_.context.lose(recorded.error());
  {
    const std::lock_guard lock(mutex_);
    depth_ += batch->commands;
    started_.push_back(std::move(batch));
  }
  timeline_.add(std::move(done), serial);
  if (serial) started_serial_ = *serial;
  return {};
}

/// A point that is reached already, or whose queue has gone, needs no wait.
Result<void> Queue::enqueue_waits(std::span<const QueuePoint> waits) {
  for (const QueuePoint& point : waits) {
    const auto other = shared_.table.find(point.queue);
    if (other == nullptr || other.get() == this) continue;
    const Event event = other->timeline_.event_of(point.serial);
    if (event.get() == nullptr) continue;
    PINTLE_TRY(shared_.context.call_plainly<&Calls::cuStreamWaitEvent>(stream_, event.get()->handle, 0u));
  }
  return {};
}

/// Delivers what is finished on any queue, so that a host call sees it.
Result<void> Queue::finish(Deadline deadline) {
  PINTLE_TRY(finish_pieces(deadline));
  for (const auto& queue : shared_.table.all()) PINTLE_TRY(queue->reached());
  return {};
}

Result<void> Queue::finish_pieces(Deadline deadline) {
  PINTLE_TRY(timeline_.wait_all(deadline));
  PINTLE_TRY(retire(started_serial_));
  const std::lock_guard lock(mutex_);
  if (!end(started_serial_ + 1)) return shared_.context.cause();  // a step's pieces: the next stage in their memory
  return {};
}

/// The driver would block instead, and a replay holds its recording there, which another queue's submit may want.
Result<void> Queue::await_room(std::size_t calls) {
  {
    const std::lock_guard lock(mutex_);
    if (started_.empty() || depth_ + calls <= most_started) return {};
  }
  return await_all();
}

/// Gives up when the queue goes.
Result<void> Queue::await_all() {
  while (true) {
    auto waited = finish_pieces(Clock::now() + std::chrono::milliseconds(100));
    if (waited || waited.error().code() != Errc::timeout || is_closing_.load()) return waited;
  }
}

Result<void> Queue::step(const backend::Command& command, const Commands& list) {
  if (const auto* const called = std::get_if<backend::HostCall>(&command.operation)) return call(*called);
  return base::contain("taking a step", [&]() -> Result<void> {
    if (begins_in_place(command)) return write_times();
    if (const auto* const exec = std::get_if<backend::ExecIndirect>(&command.operation))
      return launch_indirect(*exec, list);
    if (is_large(command)) return transfer(command);
    return run({}, std::nullopt, needs_of({std::span(&command, 1), {}}, kit::kind_of(command)).staged,
               [&](Enqueue& enqueue) { return enqueue.one(command, list); });
  });
}

Result<void> Queue::call(const backend::HostCall& called) {
  if (!shared_.context.host().enter()) return shared_.context.cause();
  called.call(called.state);
  shared_.context.host().leave();
  return {};
}

Result<void> Queue::launch_indirect(const backend::ExecIndirect& indirect, const Commands& list) {
  kit::GridCounts counts{};
  backend::Download download;
  download.from = indirect.grid_at;
  download.from.size = sizeof counts;
  download.to = {reinterpret_cast<std::byte*>(counts.data()), sizeof counts, backend::no_slot};
  PINTLE_TRY(run({}, std::nullopt, sizeof counts, [&](Enqueue& enqueue) { return enqueue(download); }));
  PINTLE_TRY(await_all());
  const auto exec = kit::launch_of(indirect, counts);
  if (!exec) return {};
  return run({}, std::nullopt, 0, [&](Enqueue& enqueue) { return enqueue.launch(*exec, list); });
}

/// Writes the times of the piece that is finished. A time is never before one that was written earlier.
Result<void> Queue::write_times() {
  for (const Stamp& stamp : std::exchange(stamps_, {})) {
    PINTLE_ASSIGN(ticks, shared_.clock.ticks_of(stamp.event));
    last_ticks_ = std::max(last_ticks_, ticks);
    PINTLE_TRY(await_room(1));
    PINTLE_TRY(run({}, std::nullopt, sizeof last_ticks_, [&](Enqueue& enqueue) {
      return enqueue.write(stamp.to, std::as_bytes(std::span(&last_ticks_, 1)));
    }));
  }
  return {};
}

/// While the device copies some pieces, the host fills the next ones.
Result<void> Queue::transfer(const backend::Command& command) {
  constexpr std::uint64_t most_under_way = 8;
  const std::uint64_t size = host_bytes_of(command);
  for (std::uint64_t offset = 0, count = 1; offset < size; offset += most_staged, ++count) {
    const auto piece = part_of(command, offset, std::min(most_staged, size - offset));
    PINTLE_TRY(run({}, std::nullopt, host_bytes_of(piece), [&](Enqueue& enqueue) { return enqueue.one(piece, {}); }));
    if (count % most_under_way == 0) PINTLE_TRY(await_all());
  }
  return await_all();
}

}  // namespace pintle::cuda
