// Compiled code, found by the hash of all that it depends on: a folder shared by all processes of the user.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "kit/code_file.h"
#include "pintle/error.h"

namespace pintle::kit {

/// Every entry is one file. A SHA-256 of its key and code stands behind the code; loaders of ELF and readers of SPIR-V
/// that take sizes ignore it. A file is renamed into place, so it is whole or absent. One maker at a time works on one
/// key, over threads and processes.
///
/// The folder and its files belong to this user alone. Where the folder is another user's, where others can write it,
/// or where it cannot be written, the log gets a warning and the code goes to a temporary file of this process. An
/// entry that another user could have written gets a warning and is made again. A link is never followed.
class CodeCache {
 public:
  using Make = std::function<Result<std::vector<std::byte>>()>;

  CodeCache(std::filesystem::path folder, std::uint64_t limit) : folder_(std::move(folder)), limit_(limit) {}
  /// The cache of the settings: PINTLE_CACHE_DIR, $XDG_CACHE_HOME/pintle or ~/.cache/pintle, and PINTLE_CACHE_MIB.
  [[nodiscard]] static Result<CodeCache> of_settings();

  /// The entry of `key`, or the code that `make` returns, kept for the next time. `suffix` (".so") ends the file's
  /// name.
  [[nodiscard]] Result<CodeFile> obtain(const base::Digest& key, std::string_view suffix, const Make& make,
                                        KeyOf key_of = KeyOf::recipe) const;
  /// The code as bytes, without the digest.
  [[nodiscard]] Result<std::vector<std::byte>> obtain_bytes(const base::Digest& key, std::string_view suffix,
                                                            const Make& make) const;
  /// The same in the cache of the settings. `recipe` says all that the code depends on, beside Pintle's version.
  [[nodiscard]] static Result<std::vector<std::byte>> bytes_of(std::string_view recipe, std::string_view suffix,
                                                               const Make& make);
  /// The key of a recipe.
  [[nodiscard]] static base::Digest key_of(std::string_view recipe);
  /// The code of `make` in a file that no other process shares.
  [[nodiscard]] static Result<CodeFile> temporary(std::string_view suffix, std::span<const std::byte> code);

  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }

 private:
  struct Wanted {
    const base::Digest& key;
    std::string_view suffix;
    const Make& make;
    KeyOf key_of;
  };
  [[nodiscard]] Result<std::optional<CodeFile>> obtain_in(int folder, const Wanted& wanted,
                                                          std::vector<std::byte>& made) const;

  std::filesystem::path folder_;  // empty: there is no folder
  std::uint64_t limit_;
};

}  // namespace pintle::kit
