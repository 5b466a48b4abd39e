// A shared library that is opened at run time.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include "pintle/error.h"

namespace pintle::base {

/// The folder of the file that has this code: the shared library, or the program that it is linked into. Empty where
/// the system does not say.
[[nodiscard]] std::filesystem::path own_folder() noexcept;
/// The folder of the program that runs, wherever this code is. Empty where the system does not say.
[[nodiscard]] std::filesystem::path program_folder() noexcept;

/// Owns one open library; its symbols are valid as long as it lives.
class Dylib {
 public:
  /// `unavailable` has the path tried and the loader's words. A name without "/" is searched as the loader does.
  [[nodiscard]] static Result<Dylib> open(const std::filesystem::path& path);
  /// Opens the library in this open file, whatever file has `path` by now. `path` is for messages.
  [[nodiscard]] static Result<Dylib> open(int file, const std::filesystem::path& path);
  /// Opens the first of `names` that can be opened. `unavailable` has each name with the loader's words.
  [[nodiscard]] static Result<Dylib> open_any(std::span<const char* const> names);

  Dylib() noexcept = default;  ///< No library.
  Dylib(Dylib&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)), name_(std::move(other.name_)) {}
  Dylib& operator=(Dylib&& other) noexcept;
  ~Dylib();

  /// `not_found` has the library, the symbol and the loader's words.
  [[nodiscard]] Result<void*> symbol(const char* name) const;
  /// The symbol as a pointer to `Function`. Its type cannot be checked.
  template <class Function>
  [[nodiscard]] Result<Function*> function(const char* name) const {
    PINTLE_ASSIGN(address, symbol(name));
    return reinterpret_cast<Function*>(address);
  }
  /// The same, into a member of a table.
  template <class Function>
  [[nodiscard]] Result<void> find(const char* name, Function*& place) const {
    PINTLE_ASSIGN(found, function<Function>(name));
    place = found;
    return {};
  }
  /// The name that the library was opened by.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  Dylib(void* handle, std::string name) noexcept : handle_(handle), name_(std::move(name)) {}

  void* handle_ = nullptr;
  std::string name_;
};

}  // namespace pintle::base
