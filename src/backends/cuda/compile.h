// What the run-time compilers of CUDA and HIP have in common: constants, languages, and the cache.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cuda/found_device.h"
#include "pintle/backend/driver.h"
#include "vendor/cuda/nvrtc.h"

namespace pintle::cuda {

/// "[Program "blur"]".
[[nodiscard]] std::string name_of(const backend::ProgramImage& image);

/// The standard of C++ that a source is in.
[[nodiscard]] Result<std::string> language_of(const backend::ProgramImage& image);

/// The source with its constants. `ending` is of the file that messages name.
[[nodiscard]] Result<vendor::cuda::CompilerInput> input_of(const backend::ProgramImage& image, std::string_view ending,
                                                           std::vector<std::string> options);

struct Building {
  const backend::ProgramImage& image;
  const FoundDevice& found;
  const vendor::cuda::CompilerInput& input;
  std::string identity;     ///< The compiler's.
  std::string_view ending;  ///< The ending of what it makes: ".ptx".
};
/// What `build` makes, from the cache of compiled programs where it is there and the source includes no file.
[[nodiscard]] Result<std::string> build_once(const Building& building,
                                             const std::function<Result<std::string>()>& build);

}  // namespace pintle::cuda
