// A folder for what another program reads and writes, gone afterwards.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "pintle/error.h"

namespace pintle::base {

/// Where the system keeps temporary files.
[[nodiscard]] std::filesystem::path temporary_parent();

class TemporaryFolder {
 public:
  /// A new, empty one that only this user may look into. `io` has its name and the system's words.
  [[nodiscard]] static Result<TemporaryFolder> create();

  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] std::string operator/(std::string_view name) const { return (path_ / name).string(); }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace pintle::base
