// In place of opencl*.cpp where its headers are missing.
#include "bench/direct/direct.h"

namespace pintle::bench {

Result<std::unique_ptr<Direct>> open_direct_opencl(const Target&, const std::string&) {
  return Error(Errc::unsupported, "This build has no OpenCL headers: the reference is missing.");
}

}  // namespace pintle::bench
