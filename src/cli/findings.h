// What `pintle doctor` looks at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pintle::cli {

enum class Verdict : std::uint8_t { ok, warn, fail };
[[nodiscard]] std::string_view name(Verdict verdict) noexcept;

/// One thing that was looked at.
struct Finding {
  std::string subject;
  Verdict verdict = Verdict::ok;
  std::string text;
  std::string next_step;  ///< Empty where nothing is to be done.
};
using Findings = std::vector<Finding>;

/// The PINTLE_* variables.
[[nodiscard]] Findings check_settings();
/// Each backend: its devices open, or it says why it has none.
[[nodiscard]] Findings check_devices();
/// A C program is compiled and gives the right answer.
[[nodiscard]] Findings check_compiler();
/// The folder of compiled programs.
[[nodiscard]] Findings check_cache();
/// How many processors work for the cpu device.
[[nodiscard]] Findings check_threads();

}  // namespace pintle::cli
