// One instruction of a SPIR-V module, as it stands there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "pintle/error.h"

namespace pintle::spirv {

/// Its place, and its words after the first.
struct Instruction {
  std::size_t at = 0;
  std::uint32_t op = 0;
  std::span<const std::uint32_t> operands;

  /// Checks that the instruction has at least `count` operands.
  [[nodiscard]] Result<void> need(std::size_t count) const;
  /// The text that begins at an operand. `next` becomes the index behind the text.
  [[nodiscard]] Result<std::string> text(std::size_t index, std::size_t& next) const;
};

[[nodiscard]] Error malformed(std::size_t word, std::string_view what);

}  // namespace pintle::spirv
