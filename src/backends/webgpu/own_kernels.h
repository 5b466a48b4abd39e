// Small kernels of the backend's own, for what WebGPU's commands cannot do: bytes that are no whole words, patterns,
// and grids that have to be clamped.
#pragma once

#include <memory>

#include "backends/webgpu/program.h"

namespace pintle::webgpu {

/// A thread of each takes one word. Offsets count bytes of a binding.
class OwnKernels {
 public:
  static constexpr std::uint32_t group = 256;
  /// What a launch of `move` or `fill` takes at most.
  static constexpr std::uint64_t most_bytes = 32 << 20;

  struct Move {
    std::uint32_t first = 0;  ///< Where the bytes go.
    std::uint32_t size = 0;
    std::int32_t from = 0;  ///< Where they come from.
  };
  struct Fill {
    std::uint32_t first = 0;
    std::uint32_t size = 0;
    std::uint32_t even = 0;  ///< The word at a multiple of eight.
    std::uint32_t odd = 0;   ///< The word behind it.
  };
  struct Clamp {
    std::uint32_t at = 0;  ///< The first count's word.
    std::uint32_t x = 0, y = 0, z = 0;
  };

  [[nodiscard]] static Result<std::unique_ptr<OwnKernels>> load(Context& context);
  [[nodiscard]] Kernel& move() noexcept { return program_->kernel(0); }
  [[nodiscard]] Kernel& fill() noexcept { return program_->kernel(1); }
  [[nodiscard]] Kernel& clamp() noexcept { return program_->kernel(2); }

 private:
  std::unique_ptr<Program> program_;
};

}  // namespace pintle::webgpu
