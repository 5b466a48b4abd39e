// Threads that wait in backends that cannot tell when a serial is reached.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/time/observable.h"

namespace pintle::core {

/// One thread for each queue that is watched at one time. A thread is kept for the next queue and never joined: the
/// owner of this object never destroys it. Thread-safe.
class Watchers {
 public:
  /// A thread waits for `serial`, which is native, and observes the queue. False where the system refuses a thread.
  [[nodiscard]] bool watch(const std::shared_ptr<Observable>& queue, std::uint64_t serial) noexcept;

 private:
  struct Watcher {
    std::condition_variable condition;
    std::shared_ptr<Observable> queue;   // null while idle
    std::vector<std::uint64_t> serials;  // not empty while there is a queue
  };

  [[nodiscard]] Watcher& watcher_for(const Observable& queue);
  void run(Watcher& watcher);

  std::mutex mutex_;
  std::vector<std::unique_ptr<Watcher>> all_;
};

}  // namespace pintle::core
