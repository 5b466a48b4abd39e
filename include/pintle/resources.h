// What stands before a resource, each with one idea: a limit before statistics before a pool.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pintle/device.h"
#include "pintle/resource.h"

namespace pintle {

namespace memory {
class Limit;
class LogSink;
class Holders;
class Tallies;
}  // namespace memory

/// Each buffer is an allocation of its own by the device; the queue is not asked. Thread-safe.
class DeviceResource final : public Resource {
 public:
  explicit DeviceResource(Device device) noexcept : device_(std::move(device)) {}
  /// As `Device::allocate`.
  [[nodiscard]] Result<Buffer> allocate(Queue& queue, DType dtype, const Shape& shape,
                                        const BufferOptions& options) override;

 private:
  Device device_;
};

// The adaptors. `upstream` outlives the adaptor; buffers may outlive both and be destroyed on any thread. A buffer
// counts until it is destroyed or freed, with the bytes that its shape has; a fork of it does not. What upstream
// refuses is answered as it is. All are thread-safe; where there is no memory for an adaptor itself, it answers
// `out_of_memory`.

/// At most so many bytes at any time.
class LimitResource final : public Resource {
 public:
  LimitResource(Resource& upstream, std::uint64_t bytes) noexcept;
  /// `out_of_memory` beyond the limit, with the bytes requested, in use and the limit; upstream is not asked then. The
  /// bytes of a request count while upstream works on it.
  [[nodiscard]] Result<Buffer> allocate(Queue& queue, DType dtype, const Shape& shape,
                                        const BufferOptions& options) override;
  [[nodiscard]] std::uint64_t in_use() const noexcept;
  [[nodiscard]] std::uint64_t limit() const noexcept;

 private:
  Resource& upstream_;
  std::shared_ptr<memory::Limit> state_;
};

/// A line for each buffer that is made, refused or gone.
class LogResource final : public Resource {
 public:
  /// Gets one line without its end. It is called by the thread that makes or destroys a buffer, also by several at
  /// once, with no lock held, and lives until the last buffer is gone.
  using Sink = std::function<void(std::string_view)>;
  LogResource(Resource& upstream, Sink sink) noexcept;
  /// `internal` where the sink throws; what it throws when a buffer goes is dropped.
  [[nodiscard]] Result<Buffer> allocate(Queue& queue, DType dtype, const Shape& shape,
                                        const BufferOptions& options) override;

 private:
  Resource& upstream_;
  std::shared_ptr<const memory::LogSink> state_;
};

/// A buffer that is alive.
struct ResourceHolder {
  std::string buffer;  ///< `[Buffer 12 "activations"]`
  std::uint64_t bytes = 0;
};

/// Knows the buffers that are alive.
class TrackResource final : public Resource {
 public:
  explicit TrackResource(Resource& upstream) noexcept;
  [[nodiscard]] Result<Buffer> allocate(Queue& queue, DType dtype, const Shape& shape,
                                        const BufferOptions& options) override;
  /// The largest first; of the same size the oldest. Empty where host memory runs out.
  [[nodiscard]] std::vector<ResourceHolder> holders() const noexcept;

 private:
  Resource& upstream_;
  std::shared_ptr<memory::Holders> state_;
};

/// Now, at most, and ever.
struct ResourceTally {
  std::uint64_t current = 0;
  std::uint64_t peak = 0;
  std::uint64_t total = 0;
};

struct ResourceStatistics {
  ResourceTally buffers;
  ResourceTally bytes;
  std::uint64_t failures = 0;  ///< Requests that upstream refused.
};

/// Counts and bytes.
class StatisticsResource final : public Resource {
 public:
  explicit StatisticsResource(Resource& upstream) noexcept;
  [[nodiscard]] Result<Buffer> allocate(Queue& queue, DType dtype, const Shape& shape,
                                        const BufferOptions& options) override;
  /// One moment's: the counts fit each other.
  [[nodiscard]] ResourceStatistics statistics() const noexcept;

 private:
  Resource& upstream_;
  std::shared_ptr<memory::Tallies> state_;
};

/// Which requests fail, by their number; the first is 1.
struct FailOptions {
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t every = never;  ///< Each multiple of it; 0 is as `never`.
  std::uint64_t after = never;  ///< All that come after so many; 0: all.
};

/// `out_of_memory` by number, for tests of programs that must survive it.
class FailResource final : public Resource {
 public:
  FailResource(Resource& upstream, FailOptions options) noexcept : upstream_(upstream), options_(options) {}
  /// Upstream is not asked where the request is to fail.
  [[nodiscard]] Result<Buffer> allocate(Queue& queue, DType dtype, const Shape& shape,
                                        const BufferOptions& options) override;
  /// So many have come so far, failed or not.
  [[nodiscard]] std::uint64_t requests() const noexcept { return requests_.load(std::memory_order_relaxed); }

 private:
  Resource& upstream_;
  FailOptions options_;
  std::atomic<std::uint64_t> requests_{0};
};

}  // namespace pintle
