// Where a command speaks: data on standard output, words on standard error. On a terminal, characters that would
// control it are escaped: names and logs come from files, drivers and compilers.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/exit_code.h"
#include "pintle/error.h"

namespace pintle::cli {

using Json = nlohmann::ordered_json;

/// How the data is printed.
enum class Style { text, json };

class Output {
 public:
  explicit Output(Style style) noexcept : style_(style) {}

  [[nodiscard]] bool is_json() const noexcept { return style_ == Style::json; }
  /// One document on standard output.
  void json(const Json& document) const;
  /// Lines on standard output; a newline is added where there is none.
  void text(std::string_view text) const;
  /// Lines on standard error.
  void words(std::string_view text) const;
  /// The words of an error, and with --json {"error": ...} as the data.
  void failure(const Error& error) const { failure(error, exit_code(error.code())); }
  void failure(const Error& error, ExitCode exit) const;
  /// `io` when standard output did not take everything (a full disk, a closed pipe).
  [[nodiscard]] Result<void> flush() const;

 private:
  Style style_;
};

}  // namespace pintle::cli
