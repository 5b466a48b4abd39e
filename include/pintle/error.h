// Errors as values: what failed, with which value and limit, on which object, and what the caller can do about it.
#pragma once

#if __cplusplus <= 202002L
// A compiler goes on after an #error, through a hundred errors that follow from it. It stops where a file is missing.
#include <Pintle needs C++23: compile with -std=c++23>
#endif

#include <cstdint>
#include <expected>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace pintle {

/// The code of an error: what the caller can do about it. The numbers are stable.
enum class Errc : std::uint8_t {
  invalid_argument = 1,  ///< Correct the call; nothing was submitted.
  unsupported = 2,       ///< The device cannot do this; ask `info()` first.
  unavailable = 3,    ///< The device or library is not there (or not in a forked child); the message has the next step.
  not_found = 4,      ///< No such name.
  out_of_memory = 5,  ///< Free something and retry; nothing is poisoned.
  build_failed = 6,   ///< The program does not compile or no variant fits; the message has the log.
  timeout = 7,        ///< The deadline passed; the work goes on.
  cancelled = 8,      ///< The work was given up before it ran.
  device_lost = 9,    ///< Call `Device::recover()`.
  process_poisoned = 10,  ///< Only a new process can use the device again.
  peer_lost = 11,         ///< A rank died or left; shrink or rebuild the group.
  stale = 12,             ///< The object was destroyed or belongs to an earlier generation.
  io = 13,                ///< A file or the operating system refused.
  internal = 14,          ///< A defect in Pintle or a driver; please report it.
};

/// The code's name as it is printed, for example "invalid_argument". Never fails.
[[nodiscard]] std::string_view name(Errc code) noexcept;
/// The code of a name; empty when there is none.
[[nodiscard]] std::optional<Errc> parse_errc(std::string_view name) noexcept;

/// The error of a vendor's library: `{"libcuda.so.1", 700, "CUDA_ERROR_ILLEGAL_ADDRESS"}`.
struct VendorError {
  std::string library;
  std::int64_t number = 0;
  std::string symbol;
};

/// One shared, immutable error. Copies are cheap and may cross threads. Every waiter of a failed signal gets the same
/// one.
class Error {
 public:
  /// `message` is a whole sentence: the value in parentheses, the limit beside it, the object's name in brackets. Never
  /// throws.
  Error(Errc code, std::string message, std::source_location where = std::source_location::current()) noexcept;
  Error(const Error& other) noexcept;
  Error(Error&& other) noexcept;
  Error& operator=(const Error& other) noexcept;
  Error& operator=(Error&& other) noexcept;
  ~Error();

  [[nodiscard]] Errc code() const noexcept;
  [[nodiscard]] std::string_view message() const noexcept;
  [[nodiscard]] std::source_location where() const noexcept;
  /// The error of the vendor's library; empty unless one reported it.
  [[nodiscard]] const std::optional<VendorError>& vendor() const noexcept;
  /// The id of the device concerned; empty where none is.
  [[nodiscard]] std::string_view device() const noexcept;
  [[nodiscard]] std::uint64_t generation() const noexcept;
  /// The steps that were under way, innermost first: "validating argument 1 of [Kernel "blur"]".
  [[nodiscard]] std::span<const std::string> context() const noexcept;
  /// The whole text: message, vendor, and one " - While ..." line for each context; "Memory ran out." where there is no
  /// memory for the text.
  [[nodiscard]] std::string text() const noexcept;

  /// This error with one more " - While `what`" line. A shared error is copied, never changed under others.
  [[nodiscard]] Error during(std::string what) const noexcept;
  [[nodiscard]] Error with_vendor(VendorError vendor) const noexcept;
  [[nodiscard]] Error with_device(std::string id, std::uint64_t generation) const noexcept;

  /// True when both are the very same error (not merely alike): a waiter can tell that it got the first cause.
  [[nodiscard]] bool same_origin(const Error& other) const noexcept;

 private:
  struct Body;
  explicit Error(Body* body) noexcept : body_(body) {}
  template <class Change>
  [[nodiscard]] Error changed(Change change) const noexcept;

  Body* body_;  // intrusive count: an error in a Result is one pointer
};

/// A value or the Error that explains its absence.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  template <class U = T>
    requires(!std::is_same_v<std::remove_cvref_t<U>, Result> && !std::is_same_v<std::remove_cvref_t<U>, Error> &&
             std::is_constructible_v<T, U>)
  Result(U&& value) : state_(std::in_place, std::forward<U>(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::unexpect, std::move(error)) {}      // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool has_value() const noexcept { return state_.has_value(); }
  explicit operator bool() const noexcept { return state_.has_value(); }
  /// The caller has checked `has_value()`.
  [[nodiscard]] T& operator*() & noexcept { return *state_; }
  [[nodiscard]] const T& operator*() const& noexcept { return *state_; }
  [[nodiscard]] T&& operator*() && noexcept { return *std::move(state_); }
  [[nodiscard]] T* operator->() noexcept { return &*state_; }
  [[nodiscard]] const T* operator->() const noexcept { return &*state_; }
  /// The caller has checked that there is an error.
  [[nodiscard]] const Error& error() const noexcept { return state_.error(); }
  template <class U>
  [[nodiscard]] T value_or(U&& other) && {
    return std::move(state_).value_or(std::forward<U>(other));
  }

 private:
  std::expected<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() noexcept = default;
  Result(Error error) noexcept : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool has_value() const noexcept { return !error_; }
  explicit operator bool() const noexcept { return !error_; }
  /// The caller has checked that there is an error.
  [[nodiscard]] const Error& error() const noexcept { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace pintle

/// Returns the error of `expression` from the calling function, if it has one.
#define PINTLE_TRY(expression)                                                                            \
  do {                                                                                                    \
    if (auto pintle_result = (expression); !pintle_result) return ::pintle::Error(pintle_result.error()); \
  } while (false)

/// `PINTLE_ASSIGN(x, expression);` makes x a reference to the value, or returns the error from the calling function.
#define PINTLE_ASSIGN(name, expression)                              \
  auto name##_result = (expression);                                 \
  if (!name##_result) return ::pintle::Error(name##_result.error()); \
  auto& name = *name##_result
