// Compiled code by the hash of all that it depends on: a folder shared by all processes of the user.
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

/// Every entry is one file with a SHA-256 of its key and code behind the code (loaders of ELF and readers of SPIR-V
/// tools that take sizes do not mind), renamed into place, so that it is whole or absent. One maker at a time for one
/// key, over threads and processes.
///
/// The folder and its files are this user's alone. A folder that is another user's, that others can write or that
/// cannot be written is a warning in the log, and the code goes to a temporary file of this process; an entry of
/// another's hand is a warning and is made again. A link is never followed.
class CodeCache {
 public:
  using Make = std::function<Result<std::vector<std::byte>>()>;

  CodeCache(std::filesystem::path folder, std::uint64_t limit) : folder_(std::move(folder)), limit_(limit) {}
  /// The one of the settings: PINTLE_CACHE_DIR, $XDG_CACHE_HOME/pintle or ~/.cache/pintle, and PINTLE_CACHE_MIB.
  [[nodiscard]] static Result<CodeCache> of_settings();

  /// The entry of `key`, or what `make` answers, kept for the next time. `suffix` (".so") ends the file's name.
  [[nodiscard]] Result<CodeFile> obtain(const base::Digest& key, std::string_view suffix, const Make& make,
                                        KeyOf key_of = KeyOf::recipe) const;
  /// The same as bytes, without the digest.
  [[nodiscard]] Result<std::vector<std::byte>> obtain_bytes(const base::Digest& key, std::string_view suffix,
                                                            const Make& make) const;
  /// What `make` answered in a file that no other process shares.
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

  std::filesystem::path folder_;  // empty: there is none
  std::uint64_t limit_;
};

}  // namespace pintle::kit
