// The turn of a check, which ./dev counts by commits: seeds begin from it, so that each commit tries others, and a
// commit tries the same ones again.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

namespace pintle {

/// The number in TEST_SHARE=PRESET:TURN; empty where a person runs a test.
[[nodiscard]] inline std::optional<std::uint64_t> turn() {
  const char* const share = std::getenv("TEST_SHARE");
  const std::string text = share == nullptr ? "" : share;
  const auto colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  return std::strtoull(text.c_str() + colon + 1, nullptr, 10);
}

}  // namespace pintle
