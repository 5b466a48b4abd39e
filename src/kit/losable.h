// A device that can be declared lost, and behaves as lost from then on.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "kit/forwarding.h"
#include "kit/loss.h"
#include "kit/stoppable_list.h"
#include "kit/told_once.h"

namespace pintle::kit {

/// After `lose` every call returns the first cause, and so do blocked waits. Notifications are told. Nothing inside
/// touches host memory or runs host calls any more.
class Losable : public Forwarding {
 public:
  using Forwarding::Forwarding;
  ~Losable() override;

  void destroy_queue(backend::QueueId queue) noexcept override;
  Result<std::uint64_t> submit(backend::QueueId queue, std::span<const backend::QueuePoint> waits,
                               const backend::Commands& commands) override;
  Result<std::uint64_t> reached(backend::QueueId queue) override;
  Result<void> wait(backend::QueueId queue, std::uint64_t serial, Deadline deadline) override;
  Result<void> notify(backend::QueueId queue, std::uint64_t serial, backend::Notification notification) override;
  Result<backend::RecordingId> record(const backend::Commands& commands) override;
  void forget(backend::RecordingId recording) noexcept override;

 protected:
  Result<void> before(Call call) override;
  /// Returns the first cause, which is `error` the first time. Waits, for a limited time, for running work.
  Error lose(const Error& error);
  /// Expires when the device is gone, with what it has inside and its threads.
  [[nodiscard]] std::weak_ptr<const void> presence() const noexcept { return presence_; }

 private:
  struct Line {
    std::uint64_t last = 0;
    std::deque<std::pair<std::uint64_t, StoppableList>> unfinished;
  };

  void settle();
  void prune(backend::QueueId queue, std::uint64_t reached);

  const std::shared_ptr<const void> presence_ = std::make_shared<char>();
  std::mutex mutex_;
  Loss loss_{info_.id};
  std::atomic<bool> is_losing_{false};
  std::map<backend::QueueId, Line> lines_;
  std::map<backend::RecordingId, StoppableList> recordings_;
  ToldOnce notifications_;
  std::thread teller_;
};

}  // namespace pintle::kit
