// Threads that wait in backends that cannot tell when a serial is reached.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/time/observable.h"
#include "pintle/deadline.h"

namespace pintle::core {

/// One thread for each device that has watched queues. A thread is kept for the next device and never joined: the owner
/// of this object never destroys it. Thread-safe.
class Watchers {
 public:
  /// A thread waits for `serial`, which is native, and observes the queue. False where the system refuses a thread.
  [[nodiscard]] bool watch(const std::shared_ptr<Observable>& queue, std::uint64_t serial) noexcept;

 private:
  struct Watch {
    std::shared_ptr<Observable> queue;
    std::vector<std::uint64_t> serials;  // never empty
  };
  struct Watcher {
    std::condition_variable condition;
    std::vector<Watch> watches;  // the oldest first, all of one device; empty while idle
  };
  [[nodiscard]] Watcher& watcher_for(const void* device);
  void run(Watcher& watcher);
  [[nodiscard]] bool look(Watcher& watcher, std::size_t place, Deadline until);

  std::mutex mutex_;
  std::vector<std::unique_ptr<Watcher>> all_;
};

}  // namespace pintle::core
