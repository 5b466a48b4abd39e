// How a device replays a frozen list.
#pragma once

#include <vector>

#include "pintle/backend/driver.h"

namespace pintle::core {

/// One command where the backend records the list. Otherwise the backend records the commands that stay the same, in
/// runs, and the commands between are submitted again: a replay costs as much as what can change.
class ReplayPlan {
 public:
  ReplayPlan() = default;
  /// The list outlives the plan.
  [[nodiscard]] static Result<ReplayPlan> create(backend::Device& device, const backend::Commands& list);
  /// Ends the backend's recordings.
  void forget(backend::Device& device) noexcept;

  /// True for one command that takes the bindings of all slots.
  [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }
  /// The commands of a replay. Where the plan is not whole, they have slots that are still to be filled.
  [[nodiscard]] backend::Commands commands() const noexcept { return {commands_, arguments_}; }

 private:
  [[nodiscard]] Result<void> split(backend::Device& device, const backend::Commands& list);
  [[nodiscard]] Result<void> add_run(backend::Device& device, const backend::Commands& list, std::size_t begin,
                                     std::size_t end);
  void add(const backend::Command& command, const backend::Commands& list);
  void add_replay(backend::RecordingId recording);

  bool is_whole_ = false;
  std::vector<backend::Command> commands_;
  std::vector<backend::Argument> arguments_;
  std::vector<backend::RecordingId> recordings_;
};

}  // namespace pintle::core
