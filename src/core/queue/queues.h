// The queues of a device.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "core/buffers/pool_state.h"
#include "core/queue/queue_state.h"
#include "core/queue/recordings.h"

namespace pintle::core {

/// A queue lives until its handle is gone and its work is finished.
class Queues final : public Dispatcher, public Deferred {
 public:
  Queues(Life& life, BufferTable& table, Pools& pools, Recordings& recordings) noexcept
      : life_(life), table_(table), pools_(pools), recordings_(recordings) {}

  // These take the lock.
  /// A user's handle to a new queue. When the last copy of the handle goes, the queue's work goes on.
  Result<std::shared_ptr<QueueState>> create(const QueueOptions& options);
  /// A handle to a queue that the backend takes as it is.
  Result<std::shared_ptr<QueueState>> wrap(const backend::NativeObject& queue, const QueueOptions& options);
  Result<void> ask_all() override;
  Result<void> wait_for(const Stamps& stamps, Deadline deadline) override;
  Result<std::shared_ptr<QueueState>> take_mover() override;
  /// Drives the device, then observes every queue.
  Result<void> poll();
  Result<void> wait_idle(Deadline deadline);
  /// Waits for the work that the backend has. Submissions that are still held then are left.
  Result<void> drain(Deadline deadline);
  /// Gives up held submissions and every queue; false when work is still unfinished.
  [[nodiscard]] bool close(const Error& cause, Worklist& worklist);

  // With the lock held:
  void dispose_finished(Worklist& worklist, const Locked& locked) noexcept override;
  [[nodiscard]] bool end(Observer& queue, Worklist& worklist, const Locked& locked) noexcept override;
  void look_after(const Stamps& stamps, const Locked& locked) noexcept override;
  void lose(const Error& error, Worklist& worklist, const Locked& locked) noexcept;

 private:
  /// Goes through the queues that there are when it is made, in the order of their creation. Needs no memory. A queue
  /// that ends meanwhile is left out.
  class Each {
   public:
    explicit Each(Queues& queues) noexcept : queues_(queues), newest_(queues.added_) {}
    /// The next queue, which lives until the next call; null after the last one.
    [[nodiscard]] QueueState* next() noexcept;

   private:
    Queues& queues_;
    const std::uint64_t newest_;
    std::shared_ptr<QueueState> at_;
  };

  void run_deferred(Worklist& worklist) noexcept override;
  [[nodiscard]] bool destroy_one(Worklist& worklist) noexcept;
  template <class Create>
  Result<std::shared_ptr<QueueState>> make(const QueueOptions& options, std::string_view what, Create create);
  [[nodiscard]] std::shared_ptr<QueueState> handle_to(const std::shared_ptr<QueueState>& queue);
  Result<std::shared_ptr<QueueState>> keep(backend::QueueId id, const QueueOptions& options, std::uint64_t first);
  void abandon(const std::shared_ptr<QueueState>& queue) noexcept;
  /// Calls `visit` for each queue that is not over. It may be over then.
  template <class Visit>
  void for_each(const Locked&, Visit visit);
  void drive();
  bool wait_held(Deadline deadline);
  Result<void> wait_for_rest(QueueState& queue, Deadline deadline);

  Life& life_;
  BufferTable& table_;
  Pools& pools_;
  Recordings& recordings_;
  QueueList all_;                       // in the order of their creation
  QueueList over_;                      // queues that are to be destroyed
  std::array<QueueState*, 2> spare_{};  // idle movers, for which there is seldom more use
  std::atomic<std::uint64_t> added_{0};
  std::atomic<std::uint64_t> next_{1};
};

}  // namespace pintle::core
