// Resources that stand before another one, each with one idea: a limit before statistics before a pool.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "pintle/device.h"
#include "pintle/resource.h"

namespace pintle {

namespace memory {
class FailSource;
class Holders;
class Limit;
class Tallies;
}  // namespace memory

/// Makes each buffer by an allocation of its own on the device; the queue is not asked. Errors: those of
/// `Device::allocate`.
class DeviceResource final : public Resource {
 public:
  DeviceResource() noexcept = default;
  [[nodiscard]] static Result<DeviceResource> create(Device device);

 private:
  explicit DeviceResource(std::shared_ptr<Source> source) noexcept : Resource(std::move(source)) {}
};

// The adaptors. Each keeps `upstream` alive. A buffer counts until it is destroyed or freed, with the bytes of its
// shape. The errors of upstream are passed on as they are. `create` answers
// `invalid_argument` for an upstream without a source.

/// Limits the bytes that are in use at any time.
class LimitResource final : public Resource {
 public:
  LimitResource() noexcept = default;
  /// A buffer beyond the limit is `out_of_memory`, with the bytes requested, in use and the limit; upstream is not
  /// asked then. The bytes of a request count while upstream works on it.
  [[nodiscard]] static Result<LimitResource> create(Resource upstream, std::uint64_t bytes);
  [[nodiscard]] std::uint64_t in_use() const noexcept;
  [[nodiscard]] std::uint64_t limit() const noexcept;

 private:
  LimitResource(std::shared_ptr<Source> source, std::shared_ptr<memory::Limit> state) noexcept;

  std::shared_ptr<memory::Limit> state_;
};

/// Logs a line for each buffer that is made, refused or gone.
class LogResource final : public Resource {
 public:
  /// Called with one line, without its end. The thread that makes or destroys a buffer calls it, with no lock held;
  /// several threads may call it at once. The sink lives until the last buffer is gone.
  using Sink = std::function<void(std::string_view)>;

  LogResource() noexcept = default;
  /// Where the sink throws, `allocate` answers `internal`. An exception that it throws when a buffer goes is dropped.
  [[nodiscard]] static Result<LogResource> create(Resource upstream, Sink sink);

 private:
  explicit LogResource(std::shared_ptr<Source> source) noexcept : Resource(std::move(source)) {}
};

/// Knows the buffers that are alive.
class TrackResource final : public Resource {
 public:
  TrackResource() noexcept = default;
  [[nodiscard]] static Result<TrackResource> create(Resource upstream);
  /// The buffers that are alive, the largest first; buffers of one size in the order in which they were made. Empty
  /// where host memory runs out.
  [[nodiscard]] std::vector<ResourceHolder> holders() const noexcept;

 private:
  TrackResource(std::shared_ptr<Source> source, std::shared_ptr<memory::Holders> state) noexcept;

  std::shared_ptr<memory::Holders> state_;
};

/// A figure as it is now, at its highest, and summed over all requests.
struct ResourceTally {
  std::uint64_t current = 0;
  std::uint64_t peak = 0;
  std::uint64_t total = 0;
};

/// The figures of a StatisticsResource.
struct ResourceStatistics {
  ResourceTally buffers;
  ResourceTally bytes;
  std::uint64_t failures = 0;  ///< Requests that upstream refused.
};

/// Counts buffers and their bytes.
class StatisticsResource final : public Resource {
 public:
  StatisticsResource() noexcept = default;
  [[nodiscard]] static Result<StatisticsResource> create(Resource upstream);
  /// All figures, taken at one moment.
  [[nodiscard]] ResourceStatistics statistics() const noexcept;

 private:
  StatisticsResource(std::shared_ptr<Source> source, std::shared_ptr<memory::Tallies> state) noexcept;

  std::shared_ptr<memory::Tallies> state_;
};

/// Chooses the requests that fail, by their number; the first is 1.
struct FailOptions {
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t every = never;  ///< Each request whose number is a multiple of it; 0: none.
  std::uint64_t after = never;  ///< Each request after the first so many; 0: all.
};

/// Answers `out_of_memory` to chosen requests, for tests of programs that must survive it.
class FailResource final : public Resource {
 public:
  FailResource() noexcept = default;
  /// A request that is to fail does not reach upstream.
  [[nodiscard]] static Result<FailResource> create(Resource upstream, FailOptions options);
  /// The number of requests so far, failed or not.
  [[nodiscard]] std::uint64_t requests() const noexcept;

 private:
  explicit FailResource(const std::shared_ptr<memory::FailSource>& state) noexcept;

  std::shared_ptr<memory::FailSource> state_;
};

}  // namespace pintle
