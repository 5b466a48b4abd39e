// States and sets of them behind handles.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "capi/lent_buffers.h"
#include "capi/objects.h"
#include "pintle/c/state.h"
#include "pintle/c/state_set.h"

namespace pintle::capi {

/// A Handle of C++, its own or one of a set, and the views of it that C has. The state's handles and its set share it.
class State {
 public:
  explicit State(Handle own);

  [[nodiscard]] Handle& handle() noexcept { return *handle_; }
  [[nodiscard]] const Handle& handle() const noexcept { return *handle_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  [[nodiscard]] Result<void> lend_front(pintle_view* out);
  [[nodiscard]] Result<void> lend_back(pintle_view* out);
  [[nodiscard]] Result<void> flip();
  /// Moves the Handle into the set, which stays as long as the state.
  [[nodiscard]] Result<void> join(const std::shared_ptr<HandleSet>& set);

 private:
  /// Ends the views of memory that the state has no longer.
  void forget() noexcept;

  std::string name_;
  std::shared_ptr<HandleSet> set_;
  Handle own_;
  Handle* handle_ = &own_;
  std::uint64_t generation_ = 0;  // of the memory that was lent
  std::uint64_t front_ = 0;       // the number of the front's view: 0 or 1
  LentBuffers lent_;
};

using SharedState = std::shared_ptr<State>;

struct StateSetObject {
  std::shared_ptr<HandleSet> set;
  std::map<std::string, SharedState, std::less<>> states{};
  std::vector<const char*> lost{};  // names of `states`, as they were told last

  explicit StateSetObject(std::shared_ptr<HandleSet> its) noexcept : set(std::move(its)) {}
};

PINTLE_C_KIND(pintle_state, SharedState, 42, "state");
PINTLE_C_KIND(pintle_state_set, StateSetObject, 43, "state set");

}  // namespace pintle::capi
