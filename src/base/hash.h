// SHA-256 for content addresses and checksums.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

namespace pintle::base {

using Digest = std::array<std::byte, 32>;
[[nodiscard]] Digest sha256(std::span<const std::byte> bytes) noexcept;
/// 64 lower-case hexadecimal digits.
[[nodiscard]] std::string hex(const Digest& digest);

}  // namespace pintle::base
