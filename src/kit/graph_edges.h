// What each command of a list has to be behind, by the bytes that the commands touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pintle/backend/command.h"

namespace pintle::kit {

/// A command is behind each command before it that touches bytes which one of the two writes, unless a third stands
/// between them. For a device on which two memories never have bytes in common. What lies in a slot may be any bytes.
/// The host's memory is left out: a backend that stages it touches it when the list starts and when it is done.
class GraphEdges {
 public:
  explicit GraphEdges(const backend::Commands& list);

  [[nodiscard]] std::span<const std::uint32_t> before(std::size_t command) const noexcept {
    return std::span(before_).subspan(first_[command], first_[command + 1] - first_[command]);
  }
  /// How many commands stand one behind another before it.
  [[nodiscard]] std::uint32_t level(std::size_t command) const noexcept { return levels_[command]; }

 private:
  std::vector<std::size_t> first_{0};  // of `before_`, for each command and the end
  std::vector<std::uint32_t> before_;
  std::vector<std::uint32_t> levels_;
};

}  // namespace pintle::kit
