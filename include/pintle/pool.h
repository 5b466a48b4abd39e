// Device memory that is used again in the order of queues, without asking the device and without waiting.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "pintle/deadline.h"
#include "pintle/placement.h"
#include "pintle/resource.h"

namespace pintle {

/// What a pool does to memory before it hands it out.
enum class Scrub : std::uint8_t {
  none = 1,   ///< Nothing: a buffer begins with what another left.
  zeros = 2,  ///< Fills it with zeros by a submission of its own to the queue, which takes one serial.
};

/// Why a pool has no memory for a request. Bytes.
struct PoolExhaustion {
  std::uint64_t requested = 0;
  std::uint64_t in_use = 0;
  std::uint64_t held = 0;          ///< From the device.
  std::uint64_t cap = 0;           ///< The most that `held` may be.
  std::uint64_t largest_free = 0;  ///< The largest piece that could be had.
};

struct PoolOptions {
  static constexpr std::uint64_t no_cap = std::numeric_limits<std::uint64_t>::max();
  std::string label{};
  Placement placement = Placement::device;
  std::uint64_t cap = no_cap;        ///< The most bytes that it holds from the device at any time.
  std::uint64_t block = 2ull << 20;  ///< The least bytes that it takes from the device at a time; the first at use.
  Scrub scrub = Scrub::none;
  /// Asked when nothing is left, with no lock held: free something and answer true to have the request tried again.
  std::function<bool(const PoolExhaustion&)> on_exhausted{};
  /// How long a request at the cap waits for memory that work in flight still uses; zero: not at all.
  Timeout patience{};
};

/// Bytes and counts since the pool was made.
struct PoolStatistics {
  std::uint64_t in_use = 0;        ///< In buffers that are alive, rounded up to size classes.
  std::uint64_t held = 0;          ///< From the device.
  std::uint64_t high_water = 0;    ///< The most that was in use.
  std::uint64_t high_held = 0;     ///< The most that was held.
  std::uint64_t waiting = 0;       ///< Given back, and not merged yet: the last uses may be unfinished.
  std::uint64_t free = 0;          ///< Merged, for any size.
  std::uint64_t largest_free = 0;  ///< In one piece.
  std::uint64_t buffers = 0;       ///< That are alive.
  std::uint64_t allocations = 0;   ///< Requests that were met.
  std::uint64_t reuses = 0;        ///< With a piece of the same class, as it was given back.
  std::uint64_t misses = 0;        ///< With new memory of the device.
  std::uint64_t waits = 0;         ///< Times that the host waited for work in flight.
  /// The share of free bytes that the largest piece does not have; 0 without free bytes.
  [[nodiscard]] double fragmentation() const noexcept {
    return free == 0 ? 0 : 1 - static_cast<double>(largest_free) / static_cast<double>(free);
  }
};

/// Memory by queue order. A buffer that is given back is used again at once by work that comes after its last use:
/// behind it on the same queue, or on a queue whose submissions wait, directly or through others, for a point at or
/// after it; otherwise when its last use is reached. The host waits only where `patience` says so.
///
/// A buffer from `Queue::allocate(pool, ...)` may be used by later work of that queue, and by other queues once they
/// wait for the queue's last point; `Buffer::map` waits for the work that used the memory before. It may outlive the
/// pool, whose copies are the same pool. Nothing is taken from the device before the first request. Thread-safe; a
/// callback blocks no other thread.
class Pool final : public Resource {
 public:
  Pool() noexcept = default;

  /// `invalid_argument` for a block of 0 bytes or beyond the cap. The pool belongs to the device's incarnation.
  /// A request is `out_of_memory`, with the bytes requested, in use, held, free in one piece, the cap and the largest
  /// holders, where neither the device, nor waiting, nor the callback helps; nothing is poisoned.
  [[nodiscard]] static Result<Pool> create(const Device& device, PoolOptions options = {});

  /// Gives blocks back to the device that nobody uses, as long as `keep` bytes stay held; returns the bytes given back.
  Result<std::uint64_t> trim(std::uint64_t keep = 0);
  [[nodiscard]] PoolStatistics statistics() const noexcept;
  /// The buffers that are alive, the largest first; empty where host memory runs out.
  [[nodiscard]] std::vector<ResourceHolder> holders() const noexcept;
  /// The same for people, with the statistics.
  [[nodiscard]] std::string text() const noexcept;

 private:
  friend class Inside;
  explicit Pool(std::shared_ptr<core::PoolState> state);

  std::shared_ptr<core::PoolState> state_;
};

}  // namespace pintle
