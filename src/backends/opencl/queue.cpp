#include "backends/opencl/queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <variant>

#include "backends/opencl/enqueue.h"
#include "backends/opencl/memory.h"
#include "backends/opencl/program.h"
#include "backends/opencl/service.h"
#include "base/contain.h"
#include "base/log.h"
#include "kit/host_clock.h"

namespace pintle::opencl {
namespace {

using backend::Commands;
using backend::QueueId;
using backend::QueuePoint;
using backend::Range;

void CL_CALLBACK tell_now(cl_event, cl_int status, void* state) {
  const std::unique_ptr<kit::EventTold> told(static_cast<kit::EventTold*>(state));
  if (status >= 0) return told->call(told->state, nullptr);
  const auto error = base::contain("telling of an event", [&]() -> Result<void> {
    return failure(status, fmt::format("A command ends with the status ({}).", status));
  });
  told->call(told->state, &error.error());
}

Error no_time(const FoundDevice& found) {
  return {Errc::unsupported,
          fmt::format("The wrapped cl_command_queue was made without CL_QUEUE_PROFILING_ENABLE, which is the clock of "
                      "[{}]; it takes no timestamps.",
                      found.info.id)};
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

QueueId Queue::create(QueueContext& shared, Owned<cl_command_queue> native, Time time, std::uint64_t first_serial) {
  const QueueId id = shared.table.next_id();
  shared.table.add(id, std::make_shared<Queue>(shared, id, std::move(native), time, first_serial));
  return id;
}

Queue::Queue(QueueContext& shared, QueueId id, Owned<cl_command_queue> queue, Time time, std::uint64_t first_serial)
    : shared_(shared), queue_(std::move(queue)), time_(time), timeline_(EventRules{shared.loss}, first_serial) {
  steps_.emplace(shared.steps, id, first_serial, static_cast<kit::StepQueue::Native&>(*this));
  shared_.loss->add(*this);
}

template <class Enqueue>
auto Queue::on_native(Enqueue enqueue) {
  const std::lock_guard lock(native_mutex_);
  return enqueue(queue_.get());
}

/// A driver waits for a queue's work when the queue is released, so a queue whose work does not end is left to the
/// driver.
Queue::~Queue() {
  is_closing_.store(true);
  steps_.reset();
  shared_.loss->remove(*this);
  if (!shared_.loss->is_lost() && timeline_.wait_all(Clock::now())) return;
  base::log(LogLevel::warn, "opencl", "A queue of [{}] is left to the driver with unfinished work.",
            shared_.found.info.id);
  static_cast<void>(queue_.release());
  static_cast<void>(unmeasured_.release());
}

Result<std::uint64_t> Queue::submit(std::span<const QueuePoint> waits, const Commands& commands) {
  const bool wants_time =
      time_.load() != Time::measured && std::ranges::any_of(commands.commands, [](const backend::Command& command) {
        return std::holds_alternative<backend::Timestamp>(command.operation);
      });
  if (wants_time && time_.load() == Time::absent) return no_time(shared_.found);
  PINTLE_TRY(check_local(commands));
  if (wants_time) PINTLE_TRY(measure());
  return steps_->submit(waits, commands);
}

Result<std::uint64_t> Queue::reached() {
  auto serial = timeline_.reached();
  if (serial) steps_->reach(*serial);
  return serial;
}

Result<void> Queue::wait(std::uint64_t serial, Deadline deadline) {
  auto waited = timeline_.wait(serial, deadline);
  if (waited) steps_->reach(serial);
  return waited;
}

Commands Queue::recorded(const backend::Replay& replay) const noexcept {
  const Recording& recording = Recordings::at(replay.recording);
  return recording.touches_host ? recording.commands : Commands{};
}

/// A caller that has the handle of a queue goes on using it, so the handle must not change any more.
Result<cl_command_queue> Queue::native() {
  if (time_.load() != Time::absent) PINTLE_TRY(measure());
  return on_native([](cl_command_queue queue) { return queue; });
}

/// From now on a queue that measures takes the commands, behind everything that the old queue has.
Result<void> Queue::measure() {
  const std::lock_guard lock(native_mutex_);
  if (time_.load() == Time::measured) return {};
  PINTLE_ASSIGN(measuring, create_queue(shared_.context, shared_.found.device, queue_properties(shared_.found.clock)));
  cl_event marker = nullptr;
  PINTLE_TRY(
      check(api().clEnqueueMarkerWithWaitList(queue_.get(), 0, nullptr, &marker), "clEnqueueMarkerWithWaitList"));
  const Event all_before(marker);
  PINTLE_TRY(check(api().clFlush(queue_.get()), "clFlush"));
  PINTLE_TRY(
      check(api().clEnqueueBarrierWithWaitList(measuring.get(), 1, &marker, nullptr), "clEnqueueBarrierWithWaitList"));
  unmeasured_ = std::exchange(queue_, std::move(measuring));
  time_.store(Time::measured);
  return {};
}

/// Puts the next commands behind the points of other queues. A point that is reached already, or whose queue has gone,
/// needs no wait.
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

/// The event of the last command stands for all.
Result<void> Queue::enqueue_all(const Commands& commands, Event& last, bool& has_started) {
  cl_event event = nullptr;
  const auto enqueued = Enqueue(queue_.get(), commands, {}, has_started).all(&event);
  last = Event(event);
  PINTLE_TRY(enqueued);
  if (event != nullptr) return {};
  PINTLE_TRY(check(api().clEnqueueMarkerWithWaitList(queue_.get(), 0, nullptr, &event), "clEnqueueMarkerWithWaitList"));
  last = Event(event);
  return {};
}

Result<void> Queue::start(const Piece& piece) {
  return on_native([&](cl_command_queue) { return enqueue_piece(piece); });
}

/// An enqueued command cannot be taken back, so an error behind it is the loss of the device.
Result<void> Queue::enqueue_piece(const Piece& piece) {
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
    if (const auto* exec = std::get_if<backend::ExecIndirect>(&command.operation)) return launch_indirect(*exec, list);
    return enqueue_alone(command, list);
  });
}

/// The next piece comes behind it, as a queue in order has it.
Result<void> Queue::enqueue_alone(const backend::Command& command, const Commands& list) {
  return on_native([&](cl_command_queue queue) {
    bool has_started = false;
    return Enqueue(queue, {std::span(&command, 1), list.arguments}, {}, has_started).all(nullptr);
  });
}

/// The next step comes behind this write, so the write's source may be used again by then.
Result<void> Queue::write_time(const Range& to) {
  if (shared_.found.clock == ClockSource::profiling) {
    PINTLE_ASSIGN(end, end_of(last_));
    ticks_ = end;
  } else {
    ticks_ = kit::host_ticks();
  }
  return on_native([&](cl_command_queue queue) {
    return check(api().clEnqueueWriteBuffer(queue, Memories::at(to.memory).object(), CL_FALSE, to.offset, sizeof ticks_,
                                            &ticks_, 0, nullptr, nullptr),
                 "clEnqueueWriteBuffer");
  });
}

Result<void> Queue::launch_indirect(const backend::ExecIndirect& indirect, const Commands& list) {
  timeline_.reserve();
  PINTLE_TRY(on_native([&](cl_command_queue queue) { return read_counts(queue, indirect.grid_at); }));
  PINTLE_TRY(await_all());
  const auto exec = kit::launch_of(indirect, counts_);
  if (!exec) return {};
  bool has_started = false;
  return on_native([&](cl_command_queue queue) { return Enqueue(queue, list, {}, has_started)(*exec); });
}

Result<void> Queue::read_counts(cl_command_queue queue, const Range& at) {
  cl_event event = nullptr;
  PINTLE_TRY(check(api().clEnqueueReadBuffer(queue, Memories::at(at.memory).object(), CL_FALSE, at.offset,
                                             sizeof counts_, counts_.data(), 0, nullptr, &event),
                   "clEnqueueReadBuffer"));
  timeline_.add(Event(event), std::nullopt);
  return check(api().clFlush(queue), "clFlush");
}

/// Gives up when the queue goes.
Result<void> Queue::await_all() {
  while (true) {
    auto waited = timeline_.wait_all(Clock::now() + std::chrono::milliseconds(100));
    if (waited || waited.error().code() != Errc::timeout || is_closing_.load()) return waited;
  }
}

}  // namespace pintle::opencl
