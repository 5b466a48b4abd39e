#include "pintle/group_queue.h"

#include <fmt/format.h>

#include <utility>

#include "base/door.h"
#include "base/quote.h"
#include "collective/queue/group_queue_state.h"

namespace pintle {
namespace {

using collective::Operation;
using collective::Request;
using collective::Side;

Error empty_queue() { return {Errc::invalid_argument, "GroupQueue is empty: it was moved from, or never created."}; }

Result<Point> enqueue(collective::GroupQueueState* state, const Request& request, EnqueueOptions&& options) {
  return state != nullptr ? state->enqueue(request, std::move(options)) : Result<Point>(empty_queue());
}

std::string text_of(const Group& group, const std::string& label) {
  return label.empty() ? fmt::format("[GroupQueue] of {}", group.text())
                       : fmt::format("[GroupQueue {}] of {}", base::quote(label), group.text());
}

}  // namespace

GroupQueue::GroupQueue() noexcept = default;
GroupQueue::GroupQueue(GroupQueue&&) noexcept = default;

GroupQueue& GroupQueue::operator=(GroupQueue&& other) noexcept {
  GroupQueue before(std::move(*this));
  state_ = std::move(other.state_);
  return *this;
}

/// A child after fork has no thread that could be waited for.
GroupQueue::~GroupQueue() {
  if (base::in_forked_child()) static_cast<void>(state_.release());
}

Result<GroupQueue> GroupQueue::create(const Group& group, const Device& device, const GroupQueueOptions& options) {
  if (group.state_ == nullptr) return Error(Errc::invalid_argument, "Group is empty: it was moved from.");
  return base::enter("creating a group queue", [&]() -> Result<GroupQueue> {
    const std::string text = text_of(group, options.label);
    PINTLE_ASSIGN(staging, collective::Staging::create(device, chunk_bytes));
    PINTLE_ASSIGN(holds, device.queue({.label = "collective holds"}));
    PINTLE_ASSIGN(gates, Signal::create(0, "collective gates"));
    PINTLE_ASSIGN(timeline, Signal::create(0, text));
    PINTLE_ASSIGN(stop, Signal::create());
    GroupQueue queue;
    queue.state_ =
        std::make_unique<collective::GroupQueueState>(collective::GroupQueueParts{.group = Group(group.state_),
                                                                                  .state = group.state_,
                                                                                  .staging = std::move(staging),
                                                                                  .holds = std::move(holds),
                                                                                  .gates = gates,
                                                                                  .timeline = timeline,
                                                                                  .stop = stop,
                                                                                  .text = text});
    PINTLE_TRY(queue.state_->start());
    return queue;
  });
}

Result<Point> GroupQueue::all_reduce(const DeviceElements& to, const DeviceElements& from, ReduceOp op,
                                     EnqueueOptions options) {
  return enqueue(state_.get(), {.operation = Operation::all_reduce, .op = op, .to = &to, .from = &from},
                 std::move(options));
}

Result<Point> GroupQueue::all_reduce(const DeviceElements& in_place, ReduceOp op, EnqueueOptions options) {
  return all_reduce(in_place, in_place, op, std::move(options));
}

Result<Point> GroupQueue::reduce(const DeviceElements& to, const DeviceElements& from, ReduceOp op, std::uint32_t root,
                                 EnqueueOptions options) {
  return enqueue(state_.get(), {.operation = Operation::reduce, .op = op, .root = root, .to = &to, .from = &from},
                 std::move(options));
}

Result<Point> GroupQueue::reduce_scatter(const DeviceElements& to, const DeviceElements& from, ReduceOp op,
                                         EnqueueOptions options) {
  return enqueue(state_.get(), {.operation = Operation::reduce_scatter, .op = op, .to = &to, .from = &from},
                 std::move(options));
}

Result<Point> GroupQueue::all_gather(const DeviceElements& to, const DeviceElements& from, EnqueueOptions options) {
  return enqueue(state_.get(), {.operation = Operation::all_gather, .to = &to, .from = &from}, std::move(options));
}

Result<Point> GroupQueue::gather(const DeviceElements& to, const DeviceElements& from, std::uint32_t root,
                                 EnqueueOptions options) {
  return enqueue(state_.get(), {.operation = Operation::gather, .root = root, .to = &to, .from = &from},
                 std::move(options));
}

Result<Point> GroupQueue::scatter(const DeviceElements& to, const DeviceElements& from, std::uint32_t root,
                                  EnqueueOptions options) {
  return enqueue(state_.get(), {.operation = Operation::scatter, .root = root, .to = &to, .from = &from},
                 std::move(options));
}

Result<Point> GroupQueue::broadcast(const DeviceElements& elements, std::uint32_t root, EnqueueOptions options) {
  return enqueue(state_.get(), {.operation = Operation::broadcast, .root = root, .to = &elements, .from = &elements},
                 std::move(options));
}

Result<Point> GroupQueue::all_to_all(const DeviceElements& to, const DeviceElements& from, EnqueueOptions options) {
  return enqueue(state_.get(), {.operation = Operation::all_to_all, .to = &to, .from = &from}, std::move(options));
}

Result<Point> GroupQueue::send(const DeviceElements& from, std::uint32_t rank, EnqueueOptions options) {
  return enqueue(state_.get(), {.operation = Operation::send_recv, .root = rank, .side = Side::sends, .from = &from},
                 std::move(options));
}

Result<Point> GroupQueue::recv(const DeviceElements& to, std::uint32_t rank, EnqueueOptions options) {
  return enqueue(state_.get(), {.operation = Operation::send_recv, .root = rank, .side = Side::receives, .to = &to},
                 std::move(options));
}

Result<Point> GroupQueue::barrier(EnqueueOptions options) {
  return enqueue(state_.get(), {.operation = Operation::barrier}, std::move(options));
}

Point GroupQueue::last() const noexcept { return state_ != nullptr ? state_->last() : Point(); }

std::string GroupQueue::text() const noexcept {
  return base::contain_or(std::string("[GroupQueue]"), [&] { return state_ ? state_->text() : "[GroupQueue]"; });
}

}  // namespace pintle
