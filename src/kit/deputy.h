// Calls to a driver that may wait inside it for a kernel that runs: nobody stands there longer than to a deadline.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

#include "base/contain.h"
#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::kit {

/// A thread that makes such calls for a device, one after another. Thread-safe.
class Deputy {
 public:
  explicit Deputy(std::string device_id);
  Deputy(const Deputy&) = delete;
  Deputy& operator=(const Deputy&) = delete;
  /// Ends the thread when it has done what it has. A thread that does not come back within a second is left behind
  /// inside the driver: it goes on by itself.
  ~Deputy();

  /// Runs `work` on the thread. `timeout` where it has not ended at the deadline: then `late`, which is called on the
  /// thread when the work has ended, takes back what it made. Neither may throw, nor use what the caller only lends.
  /// `what` is a part of the message: "loading [saxpy]".
  Result<void> run(std::string_view what, Deadline deadline, std::function<void()> work, std::function<void()> late);
  /// Runs `work` on the thread, some time behind all work before, or at once where there is no memory for that.
  void post(std::function<void()> work) noexcept;
  /// Whether some of its work has not ended.
  [[nodiscard]] bool is_busy() const;

 private:
  struct Job;
  struct State;

  Result<void> add(std::shared_ptr<Job> job);
  [[nodiscard]] Error late_error(std::string_view what, Deadline asked, const Job& job) const;

  const std::string id_;
  std::shared_ptr<State> state_;  // the thread has it, too
  std::thread thread_;
};

/// Runs `body` on the deputy's thread, and answers its Result. `body` owns what it uses, since it may run on when the
/// caller has given up; `undo(made)` then takes back what it made.
template <class Body, class Undo>
[[nodiscard]] auto ask(Deputy& deputy, const std::string& what, Deadline deadline, Body body, Undo undo) {
  using Answer = std::invoke_result_t<Body>;
  const auto answer = std::make_shared<std::optional<Answer>>();
  const auto work = [answer, body, what] { answer->emplace(base::contain(what, body)); };
  const auto late = [answer, undo] {
    if (**answer) undo(**std::move(*answer));
  };
  if (const auto ran = deputy.run(what, deadline, work, late); !ran) return Answer(ran.error());
  return *std::move(*answer);
}

}  // namespace pintle::kit
