// The kernels on one device: loaded, recorded once, replayed and timed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "examples/demo/picture.h"
#include "pintle/device.h"
#include "pintle/program.h"

namespace demo {

inline constexpr int warm_up_runs = 3;
/// Fewer where they take longer than two seconds together, but three.
inline constexpr int timed_runs = 21;

/// What a kernel, or all of them, took.
struct Timing {
  std::string kernel;
  std::uint64_t bytes = 0;             ///< Read and written, each once.
  std::optional<double> milliseconds;  ///< The median. A kernel has one only where the device has a clock.
};

struct Outcome {
  std::vector<Timing> kernels;
  Timing all;
  Picture picture;
  std::vector<float> blurred;
  std::vector<float> edges;
};

/// Uploads `picture`, or draws one of its size when it has no pixels; then blurs it and finds the edges.
[[nodiscard]] pintle::Result<Outcome> run_pipeline(const pintle::Device& device, const pintle::ProgramPack& pack,
                                                   const Picture& picture);

}  // namespace demo
