// Compiled code by the hash of all that it depends on: a folder shared by all processes of the user.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "pintle/error.h"

namespace pintle::kit {

/// A file that holds code; a temporary one goes with this.
class CodeFile {
 public:
  enum class Kind : std::uint8_t { cached, temporary };

  CodeFile(std::filesystem::path path, Kind kind) : path_(std::move(path)), kind_(kind) {}
  CodeFile(CodeFile&& other) noexcept
      : path_(std::move(other.path_)), kind_(std::exchange(other.kind_, Kind::cached)) {}
  CodeFile& operator=(CodeFile&&) = delete;
  ~CodeFile();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] Kind kind() const noexcept { return kind_; }

 private:
  std::filesystem::path path_;
  Kind kind_;
};

/// Every entry is one file, its own SHA-256 behind the code (loaders of ELF and readers of SPIR-V tools that take sizes
/// do not mind), renamed into place, so that it is whole or absent. One maker at a time for one key, over threads and
/// processes. A broken or unwritable cache is a warning in the log, and the code goes to a temporary file.
class CodeCache {
 public:
  using Make = std::function<Result<std::vector<std::byte>>()>;

  CodeCache(std::filesystem::path folder, std::uint64_t limit) : folder_(std::move(folder)), limit_(limit) {}
  /// The one of the settings: PINTLE_CACHE_DIR, $XDG_CACHE_HOME/pintle or ~/.cache/pintle, and PINTLE_CACHE_MIB.
  [[nodiscard]] static Result<CodeCache> of_settings();

  /// The entry of `key`, or what `make` answers, kept for the next time. `suffix` (".so") ends the file's name.
  [[nodiscard]] Result<CodeFile> obtain(const base::Digest& key, std::string_view suffix, const Make& make) const;
  /// The same as bytes, without the digest.
  [[nodiscard]] Result<std::vector<std::byte>> obtain_bytes(const base::Digest& key, std::string_view suffix,
                                                            const Make& make) const;
  /// What `make` answered in a file that no other process shares.
  [[nodiscard]] static Result<CodeFile> temporary(std::string_view suffix, std::span<const std::byte> code);

  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }

 private:
  [[nodiscard]] bool holds(const std::filesystem::path& file) const;
  [[nodiscard]] bool keep(const std::filesystem::path& file, std::span<const std::byte> code) const;
  void evict(const std::filesystem::path& newest) const;

  std::filesystem::path folder_;  // empty: there is none
  std::uint64_t limit_;
};

}  // namespace pintle::kit
