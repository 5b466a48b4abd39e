// One submission, from acceptance to completion.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/inside.h"
#include "core/buffers/stamps.h"
#include "core/list/host_function.h"
#include "core/list/list_state.h"
#include "core/queue/hold.h"
#include "core/time/signal_state.h"
#include "pintle/backend/command.h"
#include "pintle/commands.h"

namespace pintle::core {

/// A signal that a submission raises or fails.
struct Raise {
  std::shared_ptr<SignalState> signal;
  Promise promise;

  void keep(Worklist& worklist) noexcept {
    signal->timeline().raise(promise.value, worklist);
    signal->forget(promise);
  }
};

/// A flight lies in its queue's ring. Its vectors keep their memory from one use of the place to the next. Their
/// elements stay where they are when the ring grows, since a backend and signals read them.
struct alignas(64) Flight {
  std::uint64_t serial = 0;
  bool has_more = false;       // something from `waits` on is in use, or the list has host functions
  bool is_lent = false;        // its list owns something of the caller's, which is let go soon after its end
  backend::Commands commands;  // what the backend gets
  std::unique_ptr<Hold> hold;  // while it waits for points that no backend can wait for
  CommandList list;            // owns what the commands point to
  std::vector<backend::Binding> bindings;    // of a replay
  std::vector<backend::Command> replay;      // the commands of a replay with bindings
  std::vector<backend::Argument> arguments;  // arguments of `replay`
  std::vector<Point> waits;
  std::vector<Stamp> bound;  // work of this device that brings the awaited points, as far as it is promised
  std::vector<Raise> raises;
  std::string label;
  std::optional<Error> refused;     // the failure of a point that it waits for
  std::unique_ptr<HostRun[]> runs;  // of a replay's host functions
  std::size_t run_count = 0;

  /// Lets go of all of it. The worklist destroys what is the user's.
  void clear(Worklist& worklist) noexcept {
    hold.reset();
    if (!bindings.empty()) bindings.clear();
    is_lent = false;
    if (ListState* const owned = std::exchange(Inside::state(list), nullptr)) worklist.bury(*owned);
    if (has_more) clear_more();
  }
  /// The first error of its host functions, once they have run.
  [[nodiscard]] std::optional<Error> take_error() noexcept;

 private:
  void clear_more() noexcept;
};

}  // namespace pintle::core
