// A file of compiled code, open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "pintle/error.h"

namespace pintle::kit {

/// An open file that holds code; a temporary one goes with this. What was verified is what the descriptor reads and
/// loads, whatever happens to the name.
class CodeFile {
 public:
  enum class Kind : std::uint8_t { cached, temporary };

  CodeFile(std::filesystem::path path, Kind kind, base::Descriptor file)
      : path_(std::move(path)), kind_(kind), file_(std::move(file)) {}
  CodeFile(CodeFile&& other) noexcept
      : path_(std::move(other.path_)), kind_(std::exchange(other.kind_, Kind::cached)), file_(std::move(other.file_)) {}
  CodeFile& operator=(CodeFile&&) = delete;
  ~CodeFile();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] int descriptor() const noexcept { return file_.number(); }
  /// Without what stands behind the code in the cache.
  [[nodiscard]] Result<std::vector<std::byte>> code() const;

 private:
  std::filesystem::path path_;
  Kind kind_;
  base::Descriptor file_;
};

/// What a key is the SHA-256 of: all that the code is made from, or the code itself, which is compared with it then.
enum class KeyOf : std::uint8_t { recipe, code };

}  // namespace pintle::kit
