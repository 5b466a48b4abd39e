// A queue, as threads that wait for its points see it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/time/polled.h"
#include "pintle/backend/driver.h"
#include "pintle/deadline.h"
#include "pintle/error.h"
#include "pintle/signal.h"

namespace pintle::core {

class Worklist;

/// Submissions are numbered by serials that rise by one. A serial is *native* once a backend has its submission; from
/// then on it comes without anybody's help. The caller of these functions holds no lock.
class Observable : public Polled, public std::enable_shared_from_this<Observable> {
 public:
  /// Reads what the backend has reached, finishes those submissions and raises what they signal. Never blocks.
  virtual Result<void> observe(Worklist& worklist) = 0;
  /// Waits in the backend for a native serial, then observes.
  virtual Result<void> wait_native(std::uint64_t serial, Deadline deadline) = 0;
  [[nodiscard]] virtual bool is_native(std::uint64_t serial) const noexcept = 0;
  /// Adds the points that a serial which is not native waits for, the point of the submission before it included; false
  /// where it is not submitted.
  virtual bool add_waits(std::uint64_t serial, std::vector<Point>& points) = 0;
  /// Makes sure that `serial` is observed when it is reached. A serial that is not native yet is watched once it is.
  virtual void watch(std::uint64_t serial) noexcept = 0;
  /// Asks the backend to tell when a native serial is reached.
  virtual Result<void> notify(std::uint64_t serial, backend::Notification notification) = 0;
  /// The reactor has observed the queue in a round, as the queue asked. The queue asks again where it still owns
  /// something of a caller's.
  virtual void looked_after() noexcept = 0;
  /// Whether only calls make progress.
  [[nodiscard]] virtual bool is_driven() const noexcept = 0;
  virtual void drive() = 0;
  /// A caller has given up a wait for what a backend has: perhaps the device does not answer any more. Never blocks.
  virtual void suspect() noexcept = 0;
  /// Reports a loss that another call has returned.
  virtual void report(const Error& error) noexcept = 0;
  /// The words of a timeout: the oldest unfinished submission, which stands in the way.
  [[nodiscard]] virtual std::string describe_oldest() = 0;
  /// The device's identity: one thread watches all its queues.
  [[nodiscard]] virtual const void* device() const noexcept = 0;
  /// As messages name it: `[Queue 2]`.
  [[nodiscard]] virtual const std::string& text() const noexcept = 0;

 protected:
  ~Observable() override = default;
};

}  // namespace pintle::core
