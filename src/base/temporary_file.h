// A file in the making: it has a random name in the folder of the file that it becomes.
#pragma once

#include <sys/types.h>

#include <array>
#include <string_view>

#include "base/descriptor.h"

namespace pintle::base {

/// A new file, opened for writing. It is removed with this object unless it is put in place. Two processes never have
/// the same one, whatever their numbers are and wherever they run: the name is random, and only a new file is opened.
class TemporaryFile {
 public:
  /// `folder` is open and outlives this. Where the file is not open, errno has the cause.
  TemporaryFile(int folder, mode_t mode) noexcept;
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  [[nodiscard]] bool is_open() const noexcept { return file_.is_open(); }
  [[nodiscard]] int number() const noexcept { return file_.number(); }
  [[nodiscard]] bool close() noexcept { return file_.close(); }
  /// Gives the file its name in the same folder, in place of a file with that name. A link is replaced, not followed.
  [[nodiscard]] bool rename_to(const char* name) noexcept;

  static constexpr std::string_view mark = ".pintle-", ending = ".tmp";

 private:
  static constexpr std::size_t digits = 16;
  using Name = std::array<char, mark.size() + digits + ending.size() + 1>;
  friend bool is_temporary_name(std::string_view name) noexcept;

  int folder_;
  Name name_{};  // empty: there is no file
  Descriptor file_{-1};
};

/// Whether the name is of the kind that `TemporaryFile` gives.
[[nodiscard]] bool is_temporary_name(std::string_view name) noexcept;
/// Removes from an open folder the temporary files, a day old, of killed processes of this user.
void remove_leftovers(int folder) noexcept;

}  // namespace pintle::base
