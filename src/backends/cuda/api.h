// CUDA in this process: its functions, and its statuses as errors.
#pragma once

#include <string>

#include "pintle/error.h"
#include "vendor/cuda/driver.h"
#include "vendor/cuda/nvrtc.h"
#include "vendor/cuda/status.h"

namespace pintle::cuda {

using vendor::cuda::DevicePointer;
using vendor::cuda::Status;

/// The driver's table, opened at first use and never closed: the driver has threads of its own.
[[nodiscard]] const Result<vendor::cuda::Driver>& loaded() noexcept;
/// The table, for code that has an object: every object was made through the table.
[[nodiscard]] inline const vendor::cuda::Driver& api() noexcept { return *loaded(); }
/// The run-time compiler's table, opened at first use and never closed.
[[nodiscard]] const Result<vendor::cuda::Compiler>& compiler() noexcept;

/// What a refused call of the driver means for the caller. `message` is a whole sentence.
[[nodiscard]] Error failure(Status status, std::string message);

}  // namespace pintle::cuda
