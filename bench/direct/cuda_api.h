// CUDA's driver and HIP's runtime as the reference calls them: both under CUDA's names.
#pragma once

#include <string>

#include "pintle/error.h"
#include "vendor/cuda/driver.h"

namespace pintle::bench {

/// The functions stay open until the process ends.
struct CudaApi {
  const vendor::cuda::Driver* driver = nullptr;
  /// Blocks until the stream is done. Pintle does without it, since it has no deadline.
  vendor::cuda::Status (*synchronize)(vendor::cuda::Stream) = nullptr;
  /// The kernels' text as code that the driver loads on the device.
  Result<std::string> (*compile)(vendor::cuda::Device device) = nullptr;

  /// `unavailable` where the library is not there.
  [[nodiscard]] static Result<CudaApi> open_cuda();
  [[nodiscard]] static Result<CudaApi> open_hip();
};

}  // namespace pintle::bench
