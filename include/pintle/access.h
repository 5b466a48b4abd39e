// How memory is used.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pintle {

/// How a command uses a range of memory.
enum class Access : std::uint8_t { read = 1, write = 2, read_write = 3 };
[[nodiscard]] constexpr bool writes(Access access) noexcept { return access != Access::read; }
[[nodiscard]] constexpr bool reads(Access access) noexcept { return access != Access::write; }
/// "read", "write" or "read_write".
[[nodiscard]] std::string_view name(Access access) noexcept;
/// The access of a name; empty when there is none.
[[nodiscard]] std::optional<Access> parse_access(std::string_view name) noexcept;

}  // namespace pintle
