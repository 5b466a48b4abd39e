// A queue whose work the layer carries to a queue of the driver's.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "functions.h"

namespace pintle::hostile {

/// Values of timeline semaphores.
struct Points {
  std::vector<VkSemaphore> semaphores;
  std::vector<std::uint64_t> values;

  void add(VkSemaphore semaphore, std::uint64_t value) {
    semaphores.push_back(semaphore);
    values.push_back(value);
  }
};

struct Batch {
  Points awaited, signalled;
  std::vector<VkCommandBuffer> commands;
  VkFence fence = VK_NULL_HANDLE;
};

/// Takes batches in order, as a queue does, and gives each to the driver a moment after what it waits for is reached.
/// So the driver's queue never waits, and several of these may share it without order among them.
class HeldQueue {
 public:
  struct Place {
    VkDevice device = nullptr;
    VkQueue carrier = nullptr;            ///< The driver's.
    std::uint32_t family = 0;             ///< As the device's user numbers it.
    bool only_copies = false;             ///< It is of the family that the layer has added.
    std::shared_ptr<std::mutex> sending;  ///< A queue of the driver's has one user at a time.
  };

  HeldQueue(const Functions& driver, const Place& place);
  HeldQueue(const HeldQueue&) = delete;
  HeldQueue& operator=(const HeldQueue&) = delete;
  /// Forgets what has not started, and returns when the rest is done.
  ~HeldQueue();

  void take(Batch batch);
  /// Returns when all that was taken is done.
  [[nodiscard]] VkResult wait_idle();
  /// Starts nothing meanwhile.
  void hold(bool is_to_be_held);
  [[nodiscard]] const Place& place() const noexcept { return place_; }

 private:
  void serve();
  [[nodiscard]] bool are_reached(const Points& points) const;
  void send(const Batch& batch);

  const Functions driver_;
  const Place place_;
  VkSemaphore done_ = VK_NULL_HANDLE;  // counts batches
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> taken_;
  std::uint64_t sent_ = 0;
  bool is_held_ = false;
  bool is_ending_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace pintle::hostile
