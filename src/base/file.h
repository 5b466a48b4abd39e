// Whole files: read at once, written so that a reader sees all of it or nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "pintle/error.h"

namespace pintle::base {

/// All bytes of a file or a pipe. `io` has the path and the system's words; more than `limit` bytes are
/// `invalid_argument`.
[[nodiscard]] Result<std::vector<std::byte>> read_file(const std::filesystem::path& path,
                                                       std::uint64_t limit = std::numeric_limits<std::uint64_t>::max());

/// Writes to a temporary file beside `path`, syncs it and renames it. What is not a regular file (a pipe, a terminal)
/// is written in place. `io` has the path and the system's words; nothing is left behind.
[[nodiscard]] Result<void> write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
/// The same of several pieces, one behind the other, without a copy that joins them.
[[nodiscard]] Result<void> write_parts(const std::filesystem::path& path,
                                       std::span<const std::span<const std::byte>> parts);

[[nodiscard]] inline std::span<const std::byte> bytes_in(std::string_view text) noexcept {
  return std::as_bytes(std::span(text));
}
[[nodiscard]] inline std::string_view text_in(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace pintle::base
