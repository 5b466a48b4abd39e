// A file as memory: nothing is read before it is touched, and nothing is copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include "pintle/error.h"

namespace pintle::base {

/// A read-only private mapping of a whole regular file; its bytes are valid as long as it lives, wherever it is moved
/// to. They start at a page, and up to the end of the last page zeros follow them. Reading may block on the disk.
///
/// The file's name may be removed or renamed over, as `write_file` does: the mapping keeps the old bytes. Writing into
/// the file itself changes what is seen here. Cutting it short takes the pages away: the system then kills the process
/// that touches them (SIGBUS). No call can prevent that; files that others may cut are for `read_file`.
class MappedFile {
 public:
  /// `io` has the path and the system's words; so for what is not a regular file (a folder, a pipe).
  [[nodiscard]] static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile() noexcept = default;  ///< No bytes.
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  /// The whole pages that hold `size` of the bytes from `offset` on, and where in them those begin. The range is within
  /// the file.
  [[nodiscard]] std::pair<std::span<const std::byte>, std::uint64_t> pages(std::uint64_t offset,
                                                                           std::uint64_t size) const noexcept;

 private:
  explicit MappedFile(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};

}  // namespace pintle::base
