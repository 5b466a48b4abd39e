// One submission, from acceptance to completion.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/buffers/stamps.h"
#include "core/list/host_function.h"
#include "core/queue/hold.h"
#include "core/time/signal_state.h"
#include "pintle/backend/command.h"
#include "pintle/commands.h"

namespace pintle::core {

class Loan;
class RecordingState;

/// A signal to raise, or to fail, with a submission.
struct Raise {
  std::shared_ptr<SignalState> signal;
  Promise promise;

  void keep(Worklist& worklist) noexcept {
    signal->timeline().raise(promise.value, worklist);
    signal->forget(promise);
  }
};

/// Lives in its queue's ring; the vectors keep their memory from one use of the place to the next, and their elements
/// stay where they are when the ring grows, since a backend and signals read them.
struct alignas(64) Flight {
  std::uint64_t serial = 0;
  bool is_plain = true;        // nothing below `bindings` is in use: a bare replay touches one cache line or two
  backend::Commands commands;  // what the backend gets
  std::unique_ptr<Hold> hold;  // while it waits for points that no backend can wait for
  std::vector<backend::Binding> bindings;    // of a replay
  std::vector<backend::Command> replay;      // the commands of a replay with bindings
  std::vector<backend::Argument> arguments;  // theirs
  std::vector<Point> waits;
  std::vector<Stamp> bound;   // work of the device that brings them, as far as anybody has promised
  std::vector<Point> behind;  // work that the user cannot know of: what fails there is in nobody's way
  std::vector<Stamp> after;   // the same, where it is native and of the device
  std::vector<Raise> raises;
  std::unique_ptr<Raise> over;  // raised when the backend has done with the flight, also where the queue has failed
  std::vector<Loan*> loans;     // of other devices' bytes; the list keeps them
  std::string label;
  std::optional<Error> refused;     // what it waits for has failed already
  std::unique_ptr<HostRun[]> runs;  // of a replay's host functions
  std::size_t run_count = 0;
  CommandList list;  // owns what the commands point to
};

}  // namespace pintle::core
