// Exceptions, for examples and tests: a value, or an exception that says where it was asked for.
#pragma once

#include <exception>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

#include "pintle/error.h"

namespace pintle {

/// The exception that `must` throws. The library itself throws nothing.
class Exception : public std::exception {
 public:
  explicit Exception(Error error, std::source_location where = std::source_location::current());
  Exception(const Exception&) = default;
  Exception& operator=(const Exception&) = default;
  ~Exception() override;

  /// The error's text, and a last line with the file and line of the call.
  [[nodiscard]] const char* what() const noexcept override;
  [[nodiscard]] const Error& error() const noexcept { return error_; }
  /// The place of the call of `must`; `error().where()` is the place in the library.
  [[nodiscard]] std::source_location where() const noexcept { return where_; }

 private:
  Error error_;
  std::source_location where_;
  std::string text_;
};

/// Throws an Exception. The library has the `throw`, so that a program without exceptions can include this header.
[[noreturn]] void throw_exception(const Error& error, std::source_location where = std::source_location::current());

/// Returns the value, or throws an Exception that names the line of this call. A program that is compiled without
/// exceptions must look at the Result instead: an exception ends it.
template <class T>
T must(Result<T> result, std::source_location where = std::source_location::current()) {
  if (!result) throw_exception(result.error(), where);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace pintle
