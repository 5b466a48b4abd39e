// What a kernel's code and its declared entry must agree on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/vulkan/physical.h"
#include "kit/spirv.h"
#include "pintle/backend/driver.h"

namespace pintle::vulkan {

/// How scalars reach a kernel.
enum class ScalarSource : std::uint8_t { none, push, uniform };

struct ScalarPlace {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

/// Buffers are bound at set 0 from binding 0 on; a uniform block of scalars comes behind them.
struct Interface {
  std::uint32_t buffers = 0;
  std::vector<ScalarPlace> scalars;
  ScalarSource scalar_source = ScalarSource::none;
  std::uint32_t scalar_bytes = 0;
};

/// Specialisation constants as vkCreateComputePipelines takes them.
struct Specialization {
  std::vector<VkSpecializationMapEntry> entries;
  std::vector<std::byte> data;
};

/// One entry of an image with the code that serves it.
struct KernelCode {
  std::string text;  ///< "[Program "x"] entry "y"", for messages.
  std::vector<std::byte> code;
  std::string entry_point;
  Interface interface;
  Specialization specialization;
};

/// The code of each entry of the image, checked against what is declared. `invalid_argument` names what does not agree,
/// `unsupported` what the device lacks, `build_failed` has the compiler's words.
[[nodiscard]] Result<std::vector<KernelCode>> read_image(const Physical& physical, const backend::ProgramImage& image);

/// Why the device cannot run code with these capabilities; success when it can.
[[nodiscard]] Result<void> check_capabilities(const Physical& physical, const kit::SpirvModule& module);

}  // namespace pintle::vulkan
