// One entry of the cache of compiled code, in its open folder.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "kit/code_file.h"

namespace pintle::kit {

/// The file of one key, found and verified, or written. Warnings go to the log.
class CacheEntry {
 public:
  /// `folder` is open and outlives this object. `path` is its name, for messages.
  CacheEntry(int folder, const std::filesystem::path& path, const base::Digest& key, std::string_view suffix,
             KeyOf key_of);

  /// The open entry, where it exists, belongs to this user, and has the code that was kept under this key.
  [[nodiscard]] std::optional<CodeFile> open() const;
  /// Writes the entry. False, with a warning, where it cannot be written.
  [[nodiscard]] bool keep(std::span<const std::byte> code) const;
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  [[nodiscard]] Result<void> write(std::span<const std::byte> code) const;
  [[nodiscard]] bool is_intact(std::span<const std::byte> bytes) const;

  int folder_;
  base::Digest key_;
  KeyOf key_of_;
  std::string name_;
  std::filesystem::path path_;
};

/// Removes the least recently used entries until the rest has at most `limit` bytes, but never `newest`. Also removes
/// files that killed processes left. Other files of the folder stay.
void evict_entries(int folder, std::uint64_t limit, std::string_view newest);

}  // namespace pintle::kit
