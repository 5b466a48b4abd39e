// One accepted submission, from acceptance to completion.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/buffers/buffer_record.h"
#include "core/time/signal_state.h"
#include "pintle/backend/command.h"
#include "pintle/commands.h"

namespace pintle::core {

/// What a held submission waits for: one gate for each point that no backend can wait for yet. The last gate to fire,
/// or the first to fail, has the queue looked at again.
class Hold {
 public:
  explicit Hold(std::weak_ptr<QueueState> queue) noexcept : queue_(std::move(queue)) {}

  /// Adds a gate; false when the point is not pending any more.
  bool add(const std::shared_ptr<SignalState>& signal, std::uint64_t value);
  [[nodiscard]] bool is_open() const noexcept { return left_.load(std::memory_order_acquire) == 0; }
  [[nodiscard]] bool has_failed() const noexcept { return failed_.load(std::memory_order_acquire); }

 private:
  class Gate final : public Timeline::Waiter {
   public:
    Gate(Hold& hold, std::shared_ptr<SignalState> signal, std::uint64_t value) noexcept
        : hold_(hold), signal_(std::move(signal)), value_(value) {}
    ~Gate() { signal_->timeline().remove(*this); }
    void fire(Worklist& worklist) noexcept override;

   private:
    friend class Hold;
    Hold& hold_;
    std::shared_ptr<SignalState> signal_;
    std::uint64_t value_;
  };

  std::weak_ptr<QueueState> queue_;
  std::atomic<std::uint32_t> left_{0};
  std::atomic<bool> failed_{false};
  std::vector<std::unique_ptr<Gate>> gates_;
};

class RecordingState;

/// A signal to raise, or to fail, with a submission.
struct Raise {
  std::shared_ptr<SignalState> signal;
  std::uint64_t value = 0;
};

/// A buffer whose sharing ended for a submission, and what it had before.
struct Moved {
  std::uint64_t buffer = 0;
  backend::MemoryId memory = backend::MemoryId::none;
  std::uint64_t base = 0;
  std::shared_ptr<SharedBytes> shared;
};

/// Lives in its queue's ring; the vectors keep their memory from one use of the place to the next, and their elements
/// stay where they are when the ring grows, since a backend reads them.
struct alignas(64) Flight {
  std::uint64_t serial = 0;
  bool is_plain = true;        // nothing below `bindings` is in use: a bare replay touches one cache line or two
  backend::Commands commands;  // what the backend gets
  std::unique_ptr<Hold> hold;  // while it waits for points that no backend can wait for
  std::vector<backend::Binding> bindings;    // of a replay
  std::vector<backend::Command> replay;      // the commands of a replay with bindings
  std::vector<backend::Argument> arguments;  // theirs
  std::vector<Point> waits;
  std::vector<Raise> raises;
  std::vector<backend::Command> copies;  // that come before the list
  std::vector<Moved> moved;
  std::string label;
  const RecordingState* recording = nullptr;  // of a replay that runs host functions
  CommandList list;                           // owns what the commands point to
};

}  // namespace pintle::core
