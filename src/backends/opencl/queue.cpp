#include "backends/opencl/queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <variant>

#include "backends/opencl/memory.h"
#include "backends/opencl/program.h"
#include "backends/opencl/service.h"
#include "base/contain.h"
#include "base/log.h"

namespace pintle::opencl {
namespace {

using backend::Argument;
using backend::Commands;
using backend::QueueId;
using backend::QueuePoint;
using backend::Range;

cl_mem object_of(const Range& range) noexcept { return memory_of(range.memory).object(); }

void CL_CALLBACK tell_now(cl_event, cl_int status, void* state) {
  const std::unique_ptr<kit::EventTold> told(static_cast<kit::EventTold*>(state));
  if (status >= 0) return told->call(told->state, nullptr);
  const auto error = base::contain("telling of an event", [&]() -> Result<void> {
    return failure(status, fmt::format("A command ends with the status ({}).", status));
  });
  told->call(told->state, &error.error());
}

}  // namespace

Result<bool> EventRules::is_done(const Event& event) const { return opencl::is_done(event); }

bool EventRules::tell(const Event& event, kit::EventTold told) const noexcept {
  auto* const state = new (std::nothrow) kit::EventTold(told);
  if (state == nullptr) return false;
  if (api().clSetEventCallback(event.get(), CL_COMPLETE, &tell_now, state) == CL_SUCCESS) return true;
  delete state;
  return false;
}

QueueId QueueTable::next_id() noexcept {
  const std::lock_guard lock(mutex_);
  return QueueId{++last_id_};
}

void QueueTable::add(QueueId id, std::shared_ptr<Queue> queue) {
  const std::lock_guard lock(mutex_);
  all_.emplace_back(id, std::move(queue));
}

std::shared_ptr<Queue> QueueTable::find(QueueId id) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(all_, id, [](const auto& each) { return each.first; });
  return found == all_.end() ? nullptr : found->second;
}

std::shared_ptr<Queue> QueueTable::remove(QueueId id) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(all_, id, [](const auto& each) { return each.first; });
  if (found == all_.end()) return nullptr;
  std::shared_ptr<Queue> queue = std::move(found->second);
  all_.erase(found);
  return queue;
}

Result<QueueId> Queue::create(QueueContext& shared, const backend::QueueRequest& request) {
  PINTLE_ASSIGN(native, create_queue(shared.context, shared.found));
  const QueueId id = shared.table.next_id();
  shared.table.add(id, std::make_shared<Queue>(shared, id, std::move(native), request.first_serial));
  return id;
}

Queue::Queue(QueueContext& shared, QueueId id, Owned<cl_command_queue> queue, std::uint64_t first_serial)
    : shared_(shared),
      queue_(std::move(queue)),
      timeline_(EventRules{shared.loss}, first_serial),
      steps_(shared.steps, id, first_serial, *this) {
  shared_.loss->add(*this);
}

/// Drivers wait for a queue's work when it is released; a queue whose work does not end is left to them.
Queue::~Queue() {
  shared_.loss->remove(*this);
  is_closing_.store(true);
  if (!shared_.loss->is_lost() && timeline_.wait_all(Clock::now())) return;
  base::log(LogLevel::warn, "opencl", "A queue of [{}] is left to the driver with unfinished work.",
            shared_.found.info.id);
  static_cast<void>(queue_.release());
}

bool Queue::is_step(const backend::Command& command) const noexcept {
  return std::holds_alternative<backend::HostCall>(command.operation) ||
         std::holds_alternative<backend::ExecIndirect>(command.operation) ||
         std::holds_alternative<backend::Timestamp>(command.operation);
}

/// One command as one enqueue, with an event where `event` is not null. A command without bytes is none.
class Queue::Enqueue {
 public:
  Enqueue(cl_command_queue queue, const Commands& list, cl_event* event) noexcept
      : queue_(queue), list_(list), event_(event) {}

  Result<void> operator()(const backend::Copy& copy) const {
    if (copy.to.size == 0) return {};
    return check(api().clEnqueueCopyBuffer(queue_, object_of(copy.from), object_of(copy.to), copy.from.offset,
                                           copy.to.offset, copy.to.size, 0, nullptr, event_),
                 "clEnqueueCopyBuffer");
  }
  Result<void> operator()(const backend::Fill& fill) const {
    if (fill.to.size == 0) return {};
    return check(api().clEnqueueFillBuffer(queue_, object_of(fill.to), fill.pattern.bytes.data(), fill.pattern_size,
                                           fill.to.offset, fill.to.size, 0, nullptr, event_),
                 "clEnqueueFillBuffer");
  }
  Result<void> operator()(const backend::Upload& upload) const {
    if (upload.to.size == 0) return {};
    return check(api().clEnqueueWriteBuffer(queue_, object_of(upload.to), CL_FALSE, upload.to.offset, upload.to.size,
                                            upload.from.data, 0, nullptr, event_),
                 "clEnqueueWriteBuffer");
  }
  Result<void> operator()(const backend::Download& download) const {
    if (download.from.size == 0) return {};
    return check(api().clEnqueueReadBuffer(queue_, object_of(download.from), CL_FALSE, download.from.offset,
                                           download.from.size, download.to.data, 0, nullptr, event_),
                 "clEnqueueReadBuffer");
  }
  Result<void> operator()(const backend::Exec& exec) const { return launch(exec, exec.grid); }

  /// Steps and replays do not come here.
  template <class Other>
  Result<void> operator()(const Other&) const {
    return Error(Errc::internal, "A command that is a step is enqueued.");
  }

  Result<void> launch(const backend::Exec& exec, const Grid& grid) const {
    Kernel& kernel = *program_of(exec.program).kernels[exec.entry];
    PINTLE_ASSIGN(use, kernel.use());
    PINTLE_TRY(set_arguments(*use.operator->(), kernel, list_.of(exec)));
    const Grid& group = kernel.group();
    const std::array<std::size_t, 3> global{std::size_t{grid.x} * group.x, std::size_t{grid.y} * group.y,
                                            std::size_t{grid.z} * group.z};
    const std::array<std::size_t, 3> local{group.x, group.y, group.z};
    return check(
        api().clEnqueueNDRangeKernel(queue_, use->get(), 3, nullptr, global.data(), local.data(), 0, nullptr, event_),
        "clEnqueueNDRangeKernel");
  }

 private:
  static Result<void> set_arguments(BoundKernel& bound, const Kernel& kernel, std::span<const Argument> arguments) {
    std::uint32_t index = 0;
    for (const Argument& argument : arguments) {
      if (argument.kind == Argument::Kind::use) continue;
      PINTLE_TRY(argument.kind == Argument::Kind::buffer ? bound.set(index, argument.range)
                                                         : bound.set(index, argument.dtype, argument.scalar));
      ++index;
    }
    if (kernel.local_argument_bytes() == 0) return {};
    return bound.set_local(index, kernel.local_argument_bytes());
  }

  const cl_command_queue queue_;
  const Commands& list_;
  cl_event* const event_;
};

/// Behind the points of other queues; what is reached already, or has gone, needs no wait.
Result<void> Queue::enqueue_waits(std::span<const QueuePoint> waits) {
  awaited_.clear();
  wait_list_.clear();
  for (const QueuePoint& point : waits) {
    const auto other = shared_.table.find(point.queue);
    if (other == nullptr || other.get() == this) continue;
    Event event = other->timeline_.event_of(point.serial);
    if (event.get() == nullptr) continue;
    wait_list_.push_back(event.get());
    awaited_.push_back(std::move(event));
  }
  if (wait_list_.empty()) return {};
  const auto waited = check(api().clEnqueueBarrierWithWaitList(queue_.get(), static_cast<cl_uint>(wait_list_.size()),
                                                               wait_list_.data(), nullptr),
                            "clEnqueueBarrierWithWaitList");
  awaited_.clear();
  return waited;
}

/// The last command has the event of all.
Result<void> Queue::enqueue_all(const Commands& commands, Event& last, bool& has_started) {
  for (const backend::Command& command : commands.commands) {
    cl_event event = nullptr;
    const bool is_last = &command == &commands.commands.back();
    const Enqueue enqueue(queue_.get(), commands, is_last ? &event : nullptr);
    PINTLE_TRY(std::visit(enqueue, command.operation));
    has_started = true;
    last = Event(event);
  }
  if (last.get() != nullptr) return {};
  cl_event event = nullptr;
  PINTLE_TRY(check(api().clEnqueueMarkerWithWaitList(queue_.get(), 0, nullptr, &event), "clEnqueueMarkerWithWaitList"));
  last = Event(event);
  return {};
}

/// What has been enqueued cannot be taken back: an error behind it is the loss of the device.
Result<void> Queue::start(const Piece& piece) {
  PINTLE_TRY(shared_.loss->check());
  timeline_.reserve();
  PINTLE_TRY(enqueue_waits(piece.waits));
  Event last;
  bool has_started = false;
  if (const auto enqueued = enqueue_all(piece.commands, last, has_started); !enqueued) {
    if (!has_started) return enqueued.error();
    return shared_.loss->lose(enqueued.error());
  }
  last_ = last;
  timeline_.add(std::move(last), piece.serial);
  const auto flushed = check(api().clFlush(queue_.get()), "clFlush");
  if (!flushed) return shared_.loss->lose(flushed.error());
  return {};
}

Result<void> Queue::step(const backend::Command& command, const Commands& list) {
  if (const auto* call = std::get_if<backend::HostCall>(&command.operation)) {
    call->call(call->state);
    return {};
  }
  return base::contain("taking a step", [&]() -> Result<void> {
    if (const auto* time = std::get_if<backend::Timestamp>(&command.operation)) return write_time(time->to);
    return launch_indirect(*std::get_if<backend::ExecIndirect>(&command.operation), list);
  });
}

/// The next step comes behind the write, so its source is free again.
Result<void> Queue::write_time(const Range& to) {
  if (shared_.found.clock == ClockSource::profiling) {
    PINTLE_ASSIGN(end, end_of(last_));
    ticks_ = end;
  } else {
    ticks_ = static_cast<std::uint64_t>(std::chrono::duration_cast<Duration>(Clock::now().time_since_epoch()).count());
  }
  return check(api().clEnqueueWriteBuffer(queue_.get(), object_of(to), CL_FALSE, to.offset, sizeof ticks_, &ticks_, 0,
                                          nullptr, nullptr),
               "clEnqueueWriteBuffer");
}

Result<void> Queue::launch_indirect(const backend::ExecIndirect& indirect, const Commands& list) {
  const Range& at = indirect.grid_at;
  cl_event event = nullptr;
  timeline_.reserve();
  PINTLE_TRY(check(api().clEnqueueReadBuffer(queue_.get(), object_of(at), CL_FALSE, at.offset, sizeof counts_,
                                             counts_.data(), 0, nullptr, &event),
                   "clEnqueueReadBuffer"));
  timeline_.add(Event(event), std::nullopt);
  PINTLE_TRY(check(api().clFlush(queue_.get()), "clFlush"));
  PINTLE_TRY(await_all());
  const Grid most = indirect.exec.grid;
  const Grid grid{std::min(counts_[0], most.x), std::min(counts_[1], most.y), std::min(counts_[2], most.z)};
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return {};
  return Enqueue(queue_.get(), list, nullptr).launch(indirect.exec, grid);
}

/// Gives up when the queue goes.
Result<void> Queue::await_all() {
  while (true) {
    auto waited = timeline_.wait_all(Clock::now() + std::chrono::milliseconds(100));
    if (waited || waited.error().code() != Errc::timeout || is_closing_.load()) return waited;
  }
}

}  // namespace pintle::opencl
