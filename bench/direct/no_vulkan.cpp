// In place of vulkan*.cpp where its headers or glslc are missing.
#include "bench/direct/direct.h"

namespace pintle::bench {

Result<std::unique_ptr<Direct>> open_direct_vulkan(const Target&, const std::string&) {
  return Error(Errc::unsupported, "This build has no Vulkan headers or no glslc: the reference is missing.");
}

}  // namespace pintle::bench
