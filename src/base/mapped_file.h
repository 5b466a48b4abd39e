// A file as memory: nothing is read before it is touched, and nothing is copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include "pintle/error.h"

namespace pintle::base {

/// A read-only private mapping of a whole regular file. Its bytes stay valid while it lives, also when it is moved.
/// They start at a page. Zeros follow them up to the end of the last page.
///
/// The file's name may be removed or renamed over, as `write_file` does: the mapping keeps the old bytes. A write into
/// the file itself changes the bytes here. Where the file is cut short, its last pages are gone, and the system kills
/// the process that touches them (SIGBUS). No call can prevent that; `read_file` is for files that others may cut.
class MappedFile {
 public:
  /// `io` has the path and the system's words, also for a file that is not regular (a folder, a pipe).
  [[nodiscard]] static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile() noexcept = default;  ///< No bytes.
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  /// The whole pages that hold `size` bytes from `offset` on, and where in the pages those bytes begin. The range is
  /// within the file.
  [[nodiscard]] std::pair<std::span<const std::byte>, std::uint64_t> pages(std::uint64_t offset,
                                                                           std::uint64_t size) const noexcept;

 private:
  explicit MappedFile(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};

}  // namespace pintle::base
