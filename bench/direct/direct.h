// The same work written by hand against a device's own API: what Pintle is measured beside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/error.h"

namespace pintle::bench {

/// Which of an API's devices: the one with this name and mark that has `before` others like it in front of it.
struct Target {
  std::string backend;  ///< "vulkan", "opencl", "cuda", "hip", "webgpu" or "pjrt".
  std::string name;
  std::string mark;  ///< Vulkan: the device's uuid in hex. Others: what the driver says of itself.
  std::size_t before = 0;
};

/// What orders the launches of a graph.
enum class Edges : unsigned char {
  none,   ///< Each stands alone.
  chain,  ///< Each is behind the one before.
};

/// Whether a device's API has graphs, so that `record_graph` and `record_chains` may be asked.
[[nodiscard]] constexpr bool has_graphs(std::string_view backend) { return backend == "cuda" || backend == "hip"; }

/// One device with one queue of its own, beside those that Pintle has. One thread at a time.
class Direct {
 public:
  Direct() = default;
  Direct(const Direct&) = delete;
  Direct& operator=(const Direct&) = delete;
  virtual ~Direct() = default;

  /// Prepares what `submit` starts: an empty kernel of one group, `launches` times.
  virtual Result<void> record(std::uint32_t launches) = 0;
  /// The same in a recording of the API's own, where that is another way; `unsupported` where there is none.
  virtual Result<void> record_another_way(std::uint32_t) {
    return Error(Errc::unsupported, "The API records in one way.");
  }
  /// The same as a graph of the API's own.
  virtual Result<void> record_graph(std::uint32_t /*launches*/, Edges /*edges*/) {
    return Error(Errc::unsupported, "The reference has no graphs for this API.");
  }
  /// Prepares a graph of `chains` chains of `length` launches of bench_turn. Each turns values of its own, one group of
  /// zeros before; `download` gives all of them.
  virtual Result<void> record_chains(std::uint32_t /*chains*/, std::uint32_t /*length*/, std::uint32_t /*rounds*/) {
    return Error(Errc::unsupported, "The reference has no graphs for this API.");
  }
  /// Prepares `steps` launches of bench_turn, each in place on the values that the one before left, for `submit`.
  virtual Result<void> record_steps(std::uint32_t /*steps*/, std::uint32_t /*rounds*/) {
    return Error(Errc::unsupported, "The reference has no steps in place for this API.");
  }
  virtual Result<void> submit() = 0;
  /// For what was submitted last.
  virtual Result<void> wait() = 0;

  /// Allocates memory that the host can map, for `upload` and `download`, where the API has memory that outlives an
  /// upload.
  virtual Result<void> allocate(std::size_t size) = 0;
  /// Memory of the host that is pinned for `upload` and `download`. One piece: the one before ends.
  virtual Result<std::span<std::byte>> allocate_pinned(std::size_t /*size*/) {
    return Error(Errc::unsupported, "The reference pins no memory for this API.");
  }
  virtual Result<void> upload(std::span<const std::byte> from) = 0;
  virtual Result<void> download(std::span<std::byte> to) = 0;

  /// Runs bench_turn on one group of zeros, from compiling the kernel on.
  virtual Result<std::vector<std::uint32_t>> turn(std::uint32_t rounds) = 0;
};

/// `unsupported` where the reference is not in this build, `not_found` where the API has no such device. Compiled code
/// is kept in the folder `cache`, if one is given.
[[nodiscard]] Result<std::unique_ptr<Direct>> open_direct(const Target& target, const std::string& cache = {});

[[nodiscard]] Result<std::unique_ptr<Direct>> open_direct_vulkan(const Target& target, const std::string& cache);
[[nodiscard]] Result<std::unique_ptr<Direct>> open_direct_opencl(const Target& target, const std::string& cache);
[[nodiscard]] Result<std::unique_ptr<Direct>> open_direct_cuda(const Target& target, const std::string& cache);
[[nodiscard]] Result<std::unique_ptr<Direct>> open_direct_webgpu(const Target& target);
[[nodiscard]] Result<std::unique_ptr<Direct>> open_direct_pjrt(const Target& target);

/// What a call of the API answered, unless that is success, which is 0 everywhere.
[[nodiscard]] Result<void> check_call(int answer, std::string_view call);

}  // namespace pintle::bench
