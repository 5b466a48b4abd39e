#include "cuda/rig.h"

namespace pintle::hip {
std::unique_ptr<backend::Driver> create_driver();
}

namespace pintle::test {

std::unique_ptr<backend::Driver> create_driver() { return hip::create_driver(); }
const std::string_view source_format = "hip_c";

}  // namespace pintle::test
