// Checks of conformance cases. A failed check is recorded with its place and values; REQUIRE and `need` also end the
// case.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <ranges>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "pintle/error.h"

namespace pintle::conformance {

/// Ends a case whose failure is already recorded.
struct Stop {};

/// Ends a case that cannot run here.
struct Skip {
  enum class Why : unsigned char {
    not_applicable,  ///< The device declares that it cannot.
    missing,         ///< Something is not on this machine.
  };
  Why why = Why::not_applicable;
  std::string reason;
};

/// Collects the failures of the running case; callbacks on other threads may report as well.
void record_failure(std::string message, std::source_location where) noexcept;

[[nodiscard]] std::string printed(bool value);
[[nodiscard]] std::string printed(double value);
[[nodiscard]] std::string printed(std::string_view value);
[[nodiscard]] std::string printed(Errc value);
[[nodiscard]] std::string printed_integer(long long value);
[[nodiscard]] std::string printed_integer(unsigned long long value);

template <class T>
[[nodiscard]] std::string printed_value(const T& value) {
  if constexpr (std::is_convertible_v<T, std::string_view>) return printed(std::string_view(value));
  else if constexpr (std::same_as<T, bool> || std::same_as<T, Errc>) return printed(value);
  else if constexpr (std::floating_point<T>) return printed(static_cast<double>(value));
  else if constexpr (std::is_enum_v<T>) return printed_value(std::to_underlying(value));
  else if constexpr (std::signed_integral<T>) return printed_integer(static_cast<long long>(value));
  else if constexpr (std::unsigned_integral<T>) return printed_integer(static_cast<unsigned long long>(value));
  else return "?";
}

template <class T>
concept Row = std::ranges::random_access_range<const T> && std::ranges::sized_range<const T> &&
              !std::is_convertible_v<T, std::string_view>;

bool check(bool holds, std::string_view text, std::source_location where = std::source_location::current());

bool check_values(bool equal, std::string_view left_text, std::string_view right_text, const std::string& left,
                  const std::string& right, std::source_location where);

/// Values are compared whole; of rows the first difference is told.
template <class A, class B>
bool check_equal(const A& left, const B& right, std::string_view left_text, std::string_view right_text,
                 std::source_location where = std::source_location::current()) {
  if constexpr (Row<A> && Row<B>) {
    const auto count = std::ranges::size(left);
    if (count != std::ranges::size(right)) {
      return check_values(false, left_text, right_text, printed_value(count) + " elements",
                          printed_value(std::ranges::size(right)) + " elements", where);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (left[i] == right[i]) continue;
      const std::string at = " at " + printed_value(i);
      return check_values(false, left_text, right_text, printed_value(left[i]) + at, printed_value(right[i]) + at,
                          where);
    }
    return true;
  } else if constexpr (std::integral<A> && std::integral<B> && !std::same_as<A, bool> && !std::same_as<B, bool>) {
    return check_values(std::cmp_equal(left, right), left_text, right_text, printed_value(left), printed_value(right),
                        where);
  } else {
    return check_values(left == right, left_text, right_text, printed_value(left), printed_value(right), where);
  }
}

bool check_error_text(const Error& error, Errc code, std::initializer_list<std::string_view> words,
                      std::source_location where);

/// The result is an error of this code, and its text has every word.
template <class T>
bool check_error(const Result<T>& result, Errc code, std::initializer_list<std::string_view> words = {},
                 std::source_location where = std::source_location::current()) {
  if (!result) return check_error_text(result.error(), code, words, where);
  record_failure("succeeds where " + std::string(pintle::name(code)) + " is expected", where);
  return false;
}

/// The result is a success.
template <class T>
bool check_ok(const Result<T>& result, std::source_location where = std::source_location::current()) {
  if (!result) record_failure("fails: " + result.error().text(), where);
  return result.has_value();
}

/// The value of a result, or the end of the case.
template <class T>
T need(Result<T> result, std::source_location where = std::source_location::current()) {
  if (!check_ok(result, where)) throw Stop{};
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace pintle::conformance

#define CHECK(...) ::pintle::conformance::check(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__)
#define CHECK_EQ(left, right) ::pintle::conformance::check_equal((left), (right), #left, #right)
#define REQUIRE(...)                                              \
  do {                                                            \
    if (!CHECK(__VA_ARGS__)) throw ::pintle::conformance::Stop{}; \
  } while (false)
