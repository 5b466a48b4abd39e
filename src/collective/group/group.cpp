// A rank's place in a group, and the door of its operations.
#include <utility>

#include "base/contain.h"
#include "base/timeout.h"
#include "collective/group/checks.h"
#include "collective/group/group_state.h"
#include "collective/group/operate.h"
#include "pintle/group.h"

namespace pintle {
namespace {

/// The door of the operations. Where memory runs out before other ranks hear of the call, only this rank fails.
template <class Body>
Result<void> enter(const std::shared_ptr<collective::GroupState>& state, Body body) noexcept {
  return base::enter("calling a group", [&]() -> Result<void> {
    if (state) return body();
    return Error(Errc::invalid_argument, "The group is empty: it was moved from or never made.");
  });
}

}  // namespace

Group::Group() noexcept = default;
Group::Group(Group&&) noexcept = default;
Group& Group::operator=(Group&&) noexcept = default;
Group::~Group() = default;
Group::Group(std::shared_ptr<collective::GroupState> state) noexcept : state_(std::move(state)) {}

std::uint32_t Group::rank() const noexcept { return state_ ? state_->rank() : 0; }
std::uint32_t Group::ranks() const noexcept { return state_ ? state_->ranks() : 0; }
std::uint64_t Group::generation() const noexcept { return state_ ? state_->generation() : 0; }
std::string_view Group::transport() const noexcept { return state_ ? state_->transport().name() : ""; }
std::string Group::text() const noexcept {
  return base::contain_or(std::string("[Group]"), [&] { return state_ ? state_->text() : "[Group]"; });
}
GroupStatistics Group::statistics() const noexcept { return state_ ? state_->statistics() : GroupStatistics{}; }

Result<void> Group::health() const {
  return enter(state_, [&]() -> Result<void> { return state_->health(); });
}

Result<void> Group::run(const Collective& operation, Timeout timeout) {
  return enter(state_, [&]() -> Result<void> {
    auto made = collective::host_call(operation, state_->rank(), state_->ranks());  // large: not moved
    if (!made) return made.error();
    return base::bounded(timeout, [&](Deadline deadline) { return collective::operate(*state_, *made, deadline); });
  });
}

}  // namespace pintle
