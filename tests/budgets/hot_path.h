// One submission of an empty kernel, one buffer from a pool and back, or four small collectives, again and again, as
// the budgets of the hot path are measured. The worker stays awake the whole time: it is inside a host call that ends
// with the measurement. For a round trip it has nothing to do.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "budgets/rounds.h"
#include "pintle/pintle.h"

namespace budgets {

/// What is submitted; or a list is submitted and waited for, by the thread that then runs it; or a pool's buffer is
/// allocated and freed; or a broadcast and a reduce run, each on both of two ranks in turn, so that neither ever waits.
enum class Kind : unsigned char { list, recording, pool, collective, round_trip };

class HotPath {
 public:
  explicit HotPath(Kind kind);
  HotPath(const HotPath&) = delete;
  HotPath& operator=(const HotPath&) = delete;
  ~HotPath();

  /// Lets the worker go, waits for everything, and keeps it busy again. What was used once is used again from here on.
  void settle();
  /// Makes the list that the next `submit` takes; nothing otherwise.
  void prepare();
  /// The measured call.
  [[gnu::noinline]] void submit();

 private:
  [[gnu::noinline]] void submit_one();  // what comes before the measurement, such as a ring that grows, is not counted
  void collect();
  void warm_up();
  void occupy();
  void release();

  Kind kind_;
  pintle::Device device_;
  pintle::Queue queue_;
  pintle::Kernel kernel_;
  pintle::Pool pool_;
  pintle::Buffer buffer_;
  pintle::Recording recording_;
  pintle::CommandList list_;
  std::vector<pintle::Group> ranks_;
  std::atomic<bool> busy_{false}, released_{false};
};

/// "list", "recording", "pool", "collective" or "round_trip"; ends the process for anything else.
[[nodiscard]] Kind parse_kind(std::string_view text);

}  // namespace budgets
