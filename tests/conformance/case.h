// Cases and the list that holds them all.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pintle::conformance {

class Context;

/// One property that every device has.
struct Case {
  std::string_view suite;
  std::string_view title;
  void (*body)(Context& test) = nullptr;

  [[nodiscard]] std::string name() const { return std::string(suite) + "." + std::string(title); }
};

/// Adds a case to the list; before main, as DEVICE_TEST does. True, for the initialiser's sake.
bool list_case(const Case& added);
/// Every case, sorted by suite; those of one suite in the order of their files.
[[nodiscard]] std::span<const Case> all_cases();
/// `*` is any text, `?` any character. An empty pattern matches everything.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view text) noexcept;

}  // namespace pintle::conformance

/// `DEVICE_TEST(Signal, WaitSubmittedBeforeSignalIsHonoured) { ... }`: runs on every device, as `test.device()`.
#define DEVICE_TEST(suite, title)                                          \
  static void suite##_##title(::pintle::conformance::Context& test);       \
  [[maybe_unused]] static const bool suite##_##title##_listed =            \
      ::pintle::conformance::list_case({#suite, #title, suite##_##title}); \
  static void suite##_##title([[maybe_unused]] ::pintle::conformance::Context& test)
