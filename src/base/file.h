// Whole files: read at once, and written so that a reader sees all of a file or nothing.
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

/// All bytes of a regular file of at most `limit` bytes. Anything else (a pipe, a device, a folder) is `io` at once,
/// and the message says what it is. Nothing of it is read.
[[nodiscard]] Result<std::vector<std::byte>> read_regular_file(const std::filesystem::path& path, std::uint64_t limit);
/// All bytes that an open file still has; `path` is for messages.
[[nodiscard]] Result<std::vector<std::byte>> read_open_file(int file, const std::filesystem::path& path,
                                                            std::uint64_t limit);

/// Writes at an open file's position; `path` is for messages.
[[nodiscard]] Result<void> write_open_file(int file, const std::filesystem::path& path,
                                           std::span<const std::byte> bytes);

/// Writes to a temporary file beside `path`, syncs it and renames it. The file has the mode and, where the system
/// allows it, the owner of the file that it replaces. A file that is not regular (a pipe, a terminal) is written in
/// place. `io` has the path and the system's words; nothing is left behind. A file that a killed process left is
/// removed when it is a day old.
[[nodiscard]] Result<void> write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
/// Writes several pieces, one behind the other, without a copy that joins them.
[[nodiscard]] Result<void> write_parts(const std::filesystem::path& path,
                                       std::span<const std::span<const std::byte>> parts);

[[nodiscard]] inline std::span<const std::byte> bytes_in(std::string_view text) noexcept {
  return std::as_bytes(std::span(text));
}
[[nodiscard]] inline std::string_view text_in(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace pintle::base
