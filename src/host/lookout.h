// Queues whose work is left to threads that wait, and the worker that finds work that nobody came for.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "host/claim.h"
#include "pintle/deadline.h"

namespace pintle::host {

/// One idle worker at a time has the watch. It rescues work that it finds left at two looks with nothing done between
/// them: no thread has come to wait for this work.
class Lookout {
 public:
  /// A queue that is watched.
  class Ward {
   public:
    Ward() = default;
    Ward(const Ward&) = delete;
    Ward& operator=(const Ward&) = delete;

   protected:
    ~Ward() = default;
    Claim claim_;

   private:
    friend class Lookout;
    /// Rises with each piece of work that is done.
    [[nodiscard]] virtual std::uint64_t progress() const noexcept = 0;
    /// Takes work that is still left, and gives it to a worker.
    virtual void rescue() noexcept = 0;

    Ward* next_ = nullptr;
    bool is_listed_ = false;
    bool was_left_ = false;
    std::uint64_t seen_ = 0;
    Deadline quiet_since_ = Deadline::min();
  };

  enum class View : std::uint8_t {
    empty,    ///< There is no queue to watch.
    calm,     ///< No work is left.
    left,     ///< Work is left; another look in a moment is worthwhile.
    rescued,  ///< Work was left, and a worker is to run it.
  };

  /// Called by a submitter that has left work in a queue that is not watched. The ward stays until its claim is free.
  void add(Ward& ward) noexcept;
  /// True when there are queues to watch, and no worker has the watch.
  [[nodiscard]] bool wants_watch() const noexcept { return wants_watch_.load(); }
  /// False where another worker has the watch, or where there is no queue to watch.
  [[nodiscard]] bool begin_watch() noexcept;
  void end_watch() noexcept;
  /// Called by the worker that has the watch; by other workers where none has it.
  [[nodiscard]] View look(Deadline now) noexcept;

 private:
  [[nodiscard]] static View look_at(Ward& ward, Deadline now) noexcept;
  [[nodiscard]] static View let_go(Ward& ward) noexcept;
  /// Called with the mutex held.
  void update() noexcept { wants_watch_.store(first_ != nullptr && !is_watched_); }

  std::mutex mutex_;
  Ward* first_ = nullptr;
  bool is_watched_ = false;
  std::atomic<bool> wants_watch_{false};
};

}  // namespace pintle::host
