#include "kit/command_text.h"

#include <fmt/ranges.h>

#include <vector>

#include "kit/accesses.h"

namespace pintle::kit {

std::string text_of(const backend::Command& command, std::span<const backend::Argument> arguments) {
  std::vector<std::string> touches;
  for_each_range(command, arguments, [&](const backend::Range& range, Access access) {
    const std::string place =
        range.slot == backend::no_slot ? fmt::format("buffer {}", range.buffer) : fmt::format("slot {}", range.slot);
    touches.push_back(fmt::format("\"{} {} [{}, +{})\"", name(access), place, range.offset, range.size));
  });
  std::string out =
      fmt::format(R"({{"operation":"{}","touches":[{}])", name(command.operation), fmt::join(touches, ","));
  if (const auto* exec = exec_of(command)) {
    out += fmt::format(R"(,"grid":"{}x{}x{}")", exec->grid.x, exec->grid.y, exec->grid.z);
  }
  return out + "}";
}

}  // namespace pintle::kit
