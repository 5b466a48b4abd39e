// For tests that drive the webgpu backend through the seam, on every adapter that the machine has.
#pragma once

#include "seam_rig.h"

namespace pintle::webgpu {
std::unique_ptr<backend::Driver> create_driver();
}

namespace pintle::test {

inline backend::Driver& webgpu_driver() {
  static backend::Driver& driver = *webgpu::create_driver().release();
  return driver;
}

class WebgpuRig : public SeamRig {
 public:
  static constexpr std::string_view nothing = "PINTLE_WEBGPU names no library that has an adapter here";
  static backend::Driver& driver() { return webgpu_driver(); }

  explicit WebgpuRig(std::uint32_t ordinal, std::uint64_t first_serial = 0)
      : SeamRig(webgpu_driver(), ordinal, first_serial) {}

  Result<backend::ProgramId> try_wgsl(std::string_view code, const std::vector<std::string>& signatures,
                                      const std::vector<backend::Constant>& constants = {}) {
    return try_load("wgsl", base::bytes_in(code), signatures, constants);
  }
};

using WebgpuTest = SeamTest<WebgpuRig>;

}  // namespace pintle::test
