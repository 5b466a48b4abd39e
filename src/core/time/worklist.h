// What is left to do once no lock is held.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "pintle/commands.h"

namespace pintle::core {

class QueueState;

/// Collects, under locks, the queues that a raised or failed timeline may have released, and what finished submissions
/// owned. The thread that collected runs the list when it has dropped its locks; what that releases joins the same
/// list, so releasing never recurses and destructors of what users lent never run under a lock.
class Worklist {
 public:
  Worklist() = default;
  Worklist(const Worklist&) = delete;
  Worklist& operator=(const Worklist&) = delete;
  ~Worklist() { run(); }

  void pump(std::shared_ptr<QueueState> queue) { items().queues.push_back(std::move(queue)); }
  /// What the list owns of the caller's goes later; its commands go now.
  void bury(CommandList&& list);
  void later(std::function<void()> action) { items().actions.push_back(std::move(action)); }
  /// Call with no lock held.
  void run() noexcept {
    if (items_ != nullptr || !spent_.empty()) run_all();
  }

 private:
  struct Items {
    std::vector<std::shared_ptr<QueueState>> queues;
    std::vector<std::function<void()>> actions;
  };

  [[nodiscard]] Items& items() {
    if (items_ == nullptr) items_ = std::make_unique<Items>();
    return *items_;
  }
  void run_all() noexcept;

  std::unique_ptr<Items> items_;  // most submissions release nothing
  std::vector<std::shared_ptr<const void>> spent_;
};

}  // namespace pintle::core
