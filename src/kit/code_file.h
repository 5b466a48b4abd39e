// An open file of compiled code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "pintle/error.h"

namespace pintle::kit {

/// An open file that holds code. A temporary one is removed with this object. The descriptor reads and loads the
/// verified bytes, whatever happens to the name.
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
  /// The code without the digest behind it.
  [[nodiscard]] Result<std::vector<std::byte>> code() const;

 private:
  std::filesystem::path path_;
  Kind kind_;
  base::Descriptor file_;
};

/// What a key is the SHA-256 of: all that the code is made from, or the code itself. In the second case they are
/// compared.
enum class KeyOf : std::uint8_t { recipe, code };

}  // namespace pintle::kit
