#include "rig.h"

namespace pintle::cuda {
std::unique_ptr<backend::Driver> create_driver();
}

namespace pintle::test {

std::unique_ptr<backend::Driver> create_driver() { return cuda::create_driver(); }
const std::string_view source_format = "cuda_c";

}  // namespace pintle::test
