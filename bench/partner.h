// A second thread, asleep between its errands.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace pintle::bench {

class Partner {
 public:
  explicit Partner(std::optional<int> processor = std::nullopt);
  Partner(const Partner&) = delete;
  Partner& operator=(const Partner&) = delete;
  ~Partner();

  /// Has the thread do `errand`. The one before is done.
  void start(std::function<void()> errand);
  /// Returns when the errand is done.
  void finish();

 private:
  void serve(std::optional<int> processor);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> errand_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace pintle::bench
