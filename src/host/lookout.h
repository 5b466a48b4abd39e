// Queues whose work is left to threads that wait, and the thread that sees to it that none is forgotten.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "host/claim.h"
#include "pintle/deadline.h"

namespace pintle::host {

/// One idle worker at a time has the watch. Work that it finds left at two looks, with nothing done between them, is
/// rescued: nobody has come to wait for it.
class Lookout {
 public:
  /// What is looked after.
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
    /// Rises with everything that is done.
    [[nodiscard]] virtual std::uint64_t progress() const noexcept = 0;
    /// Takes what is left, if it still is, and gives it to a worker.
    virtual void rescue() noexcept = 0;

    Ward* next_ = nullptr;
    bool is_listed_ = false;
    bool was_left_ = false;
    std::uint64_t seen_ = 0;
    Deadline quiet_since_ = Deadline::min();
  };

  enum class View : std::uint8_t {
    empty,    ///< There is nothing to look after.
    calm,     ///< Nothing is left.
    left,     ///< Something is; it is worth another look in a moment.
    rescued,  ///< Something was, and a worker is to run it.
  };

  /// For a submitter that has left work which nobody watches. The ward stays until its claim is free.
  void add(Ward& ward) noexcept;
  /// Something is looked after, and nobody has the watch.
  [[nodiscard]] bool wants_watch() const noexcept { return wants_watch_.load(); }
  /// False where another has the watch, or there is nothing to look after.
  [[nodiscard]] bool begin_watch() noexcept;
  void end_watch() noexcept;
  /// Called by the thread that has the watch; by others where none has.
  [[nodiscard]] View look(Deadline now) noexcept;

 private:
  [[nodiscard]] static View look_at(Ward& ward, Deadline now) noexcept;
  [[nodiscard]] static View let_go(Ward& ward) noexcept;
  /// With the mutex held.
  void update() noexcept { wants_watch_.store(first_ != nullptr && !is_watched_); }

  std::mutex mutex_;
  Ward* first_ = nullptr;
  bool is_watched_ = false;
  std::atomic<bool> wants_watch_{false};
};

}  // namespace pintle::host
