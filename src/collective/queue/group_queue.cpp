#include "pintle/group_queue.h"

#include <fmt/format.h>

#include <utility>

#include "base/door.h"
#include "base/inside.h"
#include "base/quote.h"
#include "collective/queue/group_queue_state.h"

namespace pintle {
namespace {

Error empty_queue() { return {Errc::invalid_argument, "GroupQueue is empty: it was moved from, or never created."}; }

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
  if (Inside::state(group) == nullptr) return Error(Errc::invalid_argument, "Group is empty: it was moved from.");
  return base::enter("creating a group queue", [&]() -> Result<GroupQueue> {
    const std::string text = text_of(group, options.label);
    PINTLE_ASSIGN(staging, collective::Staging::create(device, chunk_bytes));
    PINTLE_ASSIGN(holds, device.create_queue({.label = "collective holds"}));
    PINTLE_ASSIGN(gates, Signal::create(0, "collective gates"));
    PINTLE_ASSIGN(timeline, Signal::create(0, text));
    PINTLE_ASSIGN(stop, Signal::create());
    GroupQueue queue;
    queue.state_ = std::make_unique<collective::GroupQueueState>(
        collective::GroupQueueParts{.group = Inside::make<Group>(Inside::state(group)),
                                    .state = Inside::state(group),
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

Result<Point> GroupQueue::submit(const Collective& operation, SubmitOptions options) {
  return state_ != nullptr ? state_->enqueue(operation, std::move(options)) : Result<Point>(empty_queue());
}

Point GroupQueue::last() const noexcept { return state_ != nullptr ? state_->last() : Point(); }

std::string GroupQueue::text() const noexcept {
  return base::contain_or(std::string("[GroupQueue]"), [&] { return state_ ? state_->text() : "[GroupQueue]"; });
}

}  // namespace pintle
