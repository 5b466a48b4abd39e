#include "conformance/check.h"

#include <fmt/format.h>

#include "conformance/recorder.h"

namespace pintle::conformance {

void record_failure(std::string message, std::source_location where) noexcept {
  Recorder::current().add(std::move(message), where);
}

std::string printed(bool value) { return value ? "true" : "false"; }
std::string printed(double value) { return fmt::format("{}", value); }
std::string printed(std::string_view value) { return fmt::format("\"{}\"", value); }
std::string printed(Errc value) { return std::string(pintle::name(value)); }
std::string printed_integer(long long value) { return fmt::to_string(value); }
std::string printed_integer(unsigned long long value) { return fmt::to_string(value); }

bool check(bool holds, std::string_view text, std::source_location where) {
  if (!holds) record_failure(fmt::format("{} does not hold", text), where);
  return holds;
}

bool check_values(bool equal, std::string_view left_text, std::string_view right_text, const std::string& left,
                  const std::string& right, std::source_location where) {
  if (!equal) record_failure(fmt::format("{} is {}, not {} as {}", left_text, left, right, right_text), where);
  return equal;
}

bool check_error_text(const Error& error, Errc code, std::initializer_list<std::string_view> words,
                      std::source_location where) {
  bool matches = error.code() == code;
  const std::string text = error.text();
  if (!matches) {
    record_failure(fmt::format("fails with {}, not {}: {}", pintle::name(error.code()), pintle::name(code), text),
                   where);
  }
  for (const std::string_view word : words) {
    if (text.find(word) != std::string::npos) continue;
    record_failure(fmt::format("the error does not say \"{}\": {}", word, text), where);
    matches = false;
  }
  return matches;
}

}  // namespace pintle::conformance
