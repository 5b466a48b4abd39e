#include "backends/cuda/api.h"

#include <utility>

#include "base/opened_once.h"

namespace pintle::cuda {

const Result<vendor::cuda::Driver>& loaded() noexcept { return base::opened_once<vendor::cuda::Driver>(); }
const Result<vendor::cuda::Compiler>& compiler() noexcept { return base::opened_once<vendor::cuda::Compiler>(); }

Error failure(Status status, std::string message) {
  return vendor::cuda::failure_of(status, std::move(message), loaded() ? api().library.name() : "libcuda.so.1");
}

}  // namespace pintle::cuda
