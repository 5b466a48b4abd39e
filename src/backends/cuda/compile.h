// What the run-time compilers of CUDA and HIP have in common: constants, languages, and the cache.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cuda/found_device.h"
#include "pintle/backend/driver.h"
#include "vendor/cuda/compiler_input.h"

namespace pintle::cuda {

/// A source on its way to what the driver of a device loads.
struct Compilation {
  const backend::ProgramImage& image;
  const FoundDevice& found;
  std::string identity;              ///< The compiler's.
  std::vector<std::string> options;  ///< Beside those of the image.
  std::string_view language_option;  ///< "--std=".
  std::string_view folder_option;    ///< "--include-path=".
  std::string_view source_ending;    ///< The ending of the file that messages name: ".cu".
  std::string_view ending;           ///< The ending of what is made: ".ptx".
};
/// What `run` makes of the source with its constants, from the cache of compiled programs where it is there and the
/// source includes no file.
[[nodiscard]] Result<std::string> compile_once(
    const Compilation& wanted, const std::function<Result<std::string>(const vendor::cuda::CompilerInput&)>& run);

}  // namespace pintle::cuda
