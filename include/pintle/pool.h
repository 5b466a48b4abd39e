// Pools: device memory that is reused in the order of queues, without asking the device and without waiting.
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

/// How a pool treats memory before it hands it out.
enum class Scrub : std::uint8_t {
  none = 1,   ///< Leaves it alone: a buffer begins with the bytes of the one before.
  zeros = 2,  ///< Fills it with zeros by a submission of its own to the queue, which takes one serial.
};

/// The figures of a request that a pool has no memory for, in bytes.
struct PoolExhaustion {
  std::uint64_t requested = 0;
  std::uint64_t in_use = 0;
  std::uint64_t held = 0;          ///< Taken from the device.
  std::uint64_t cap = 0;           ///< The most that `held` may be.
  std::uint64_t largest_free = 0;  ///< The largest piece that a request could get.
};

/// How a pool takes memory, and when it gives up.
struct PoolOptions {
  static constexpr std::uint64_t no_cap = std::numeric_limits<std::uint64_t>::max();
  std::string label{};
  Placement placement = Placement::device;
  std::uint64_t cap = no_cap;        ///< The most bytes that the pool holds from the device at any time.
  std::uint64_t block = 2ull << 20;  ///< The least bytes that it takes at a time; the first at the first request.
  Scrub scrub = Scrub::none;
  /// Called with no lock held when nothing is left. It may free something; true makes the pool try the request again.
  std::function<bool(const PoolExhaustion&)> on_exhausted{};
  /// How long a request that finds nothing waits for memory that work in flight still uses; zero: not at all.
  Timeout patience{};
};

/// Bytes and counts of a pool since it was made.
struct PoolStatistics {
  std::uint64_t in_use = 0;        ///< Bytes of buffers that are alive, rounded up to size classes.
  std::uint64_t held = 0;          ///< Bytes taken from the device.
  std::uint64_t high_water = 0;    ///< The most bytes that were in use.
  std::uint64_t high_held = 0;     ///< The most bytes that were held.
  std::uint64_t waiting = 0;       ///< Bytes given back and not merged yet: their last uses may be unfinished.
  std::uint64_t free = 0;          ///< Bytes that are merged, free for any size.
  std::uint64_t largest_free = 0;  ///< Bytes of the largest free piece.
  std::uint64_t buffers = 0;       ///< Buffers that are alive.
  std::uint64_t allocations = 0;   ///< Requests that were met.
  std::uint64_t reuses = 0;        ///< Requests met with a piece of the same size class, as it was given back.
  std::uint64_t misses = 0;        ///< Times that the pool took new memory from the device.
  std::uint64_t waits = 0;         ///< Times that the host waited for work in flight.
  /// The share of the free bytes that lies outside the largest piece; 0 without free bytes.
  [[nodiscard]] double fragmentation() const noexcept {
    return free == 0 ? 0 : 1 - static_cast<double>(largest_free) / static_cast<double>(free);
  }
};

/// Memory that is reused in the order of queues. The memory of a buffer that is given back is used again at once by
/// work that comes after the buffer's last use: by later work of the same queue, or of a queue whose submissions wait,
/// directly or through others, for a point at or after that use. Other work gets the memory when the last use is
/// reached. The host waits only where `patience` says so.
class Pool final : public Resource {
 public:
  Pool() noexcept = default;

  /// Creates a pool, which belongs to the device's incarnation. `invalid_argument` for a block of 0 bytes or beyond the
  /// cap. A request to the pool is `out_of_memory` where neither the device, nor waiting, nor the callback helps; the
  /// message has the bytes requested, in use, held and free in one piece, the cap and the largest holders. Nothing is
  /// poisoned by that.
  [[nodiscard]] static Result<Pool> create(const Device& device, PoolOptions options = {});

  /// Gives unused blocks back to the device while at least `keep` bytes stay held. Returns the bytes given back.
  Result<std::uint64_t> trim(std::uint64_t keep = 0);
  [[nodiscard]] PoolStatistics statistics() const noexcept;
  /// The buffers that are alive, the largest first; empty where host memory runs out.
  [[nodiscard]] std::vector<ResourceHolder> holders() const noexcept;
  /// The statistics and the holders, for people to read.
  [[nodiscard]] std::string text() const noexcept;

 private:
  friend class Inside;
  explicit Pool(std::shared_ptr<core::PoolState> state);

  std::shared_ptr<core::PoolState> state_;
};

}  // namespace pintle
