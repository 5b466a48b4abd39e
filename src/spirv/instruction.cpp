#include "spirv/instruction.h"

#include <fmt/format.h>

namespace pintle::spirv {

Result<void> Instruction::need(std::size_t count) const {
  if (operands.size() >= count) return {};
  return malformed(
      at, fmt::format("has an instruction ({}) of ({}) operands, which needs ({})", op, operands.size(), count));
}

Result<std::string> Instruction::text(std::size_t index, std::size_t& next) const {
  std::string text;
  for (std::size_t word = index; word < operands.size(); ++word) {
    for (std::uint32_t shift = 0; shift < 32; shift += 8) {
      const char letter = static_cast<char>(operands[word] >> shift & 0xff);
      next = word + 1;
      if (letter == '\0') return text;
      text += letter;
    }
  }
  return malformed(at, "has a text without an end");
}

Error malformed(std::size_t word, std::string_view what) {
  return {Errc::invalid_argument, fmt::format("SPIR-V at word ({}) {}.", word, what)};
}

}  // namespace pintle::spirv
