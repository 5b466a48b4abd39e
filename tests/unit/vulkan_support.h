// For tests that drive the vulkan backend through the seam, on every device that the machine has.
#pragma once

#include "seam_rig.h"

namespace pintle::vulkan {
std::unique_ptr<backend::Driver> create_driver();
}

namespace pintle::test {

inline backend::Driver& vulkan_driver() {
  static backend::Driver& driver = *vulkan::create_driver().release();
  return driver;
}

class VulkanRig : public SeamRig {
 public:
  static constexpr std::string_view nothing = "this machine has no Vulkan device";
  static backend::Driver& driver() { return vulkan_driver(); }

  explicit VulkanRig(std::uint32_t ordinal, std::uint64_t first_serial = 0)
      : SeamRig(vulkan_driver(), ordinal, first_serial) {}

  Result<backend::ProgramId> try_glsl(std::string_view source, const std::vector<std::string>& signatures) {
    return try_load("glsl", base::bytes_in(source), signatures);
  }
  [[nodiscard]] bool compiles() const { return device->info().formats.size() > 1; }
};

class VulkanTest : public SeamTest<VulkanRig> {
 protected:
  /// On every device that compiles shaders.
  template <class Body>
  void each_shading(Body body) {
    each([&](VulkanRig& rig) {
      if (rig.compiles()) body(rig);
    });
  }
  static backend::ProgramId shader(VulkanRig& rig, std::string_view source, const std::string& signature) {
    const auto loaded = rig.try_glsl("#version 450\n" + std::string(source), {signature});
    EXPECT_TRUE(loaded) << loaded.error().text();
    return must(loaded);
  }
};

}  // namespace pintle::test
