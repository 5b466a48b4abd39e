// A folder for files of another program, removed afterwards.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/join_path.h"
#include "pintle/error.h"

namespace pintle::base {

/// The folder where the system keeps temporary files.
[[nodiscard]] std::filesystem::path temporary_parent();

class TemporaryFolder {
 public:
  /// A new, empty folder that only this user may look into. `io` has its name and the system's words.
  [[nodiscard]] static Result<TemporaryFolder> create();

  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] std::string operator/(std::string_view name) const { return join_path(path_, name).string(); }

 private:
  TemporaryFolder() noexcept = default;

  std::string path_;
};

}  // namespace pintle::base
