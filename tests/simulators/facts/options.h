// What the program is told to do.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "facts/api.h"

namespace facts {

struct Options {
  Vendor vendor = Vendor::cuda;
  bool lists = false;
  std::vector<std::string> rules;     ///< Asked in this very process; none: all, in processes of their own.
  std::string code;                   ///< A file with compiled kernels.
  std::string write_code;             ///< The file to which they are compiled; nothing else is done then.
  std::chrono::seconds deadline{20};  ///< For each rule.
  std::chrono::seconds most{600};     ///< For all of them: what is left then is not asked.
};

/// Empty where the arguments are wrong.
[[nodiscard]] std::optional<Options> read_options(int count, char** arguments);

/// What is printed of a rule: "depth.launches: 1021  # line 349".
[[nodiscard]] std::string line_of(const Rule& rule, Vendor vendor, const std::string& answer);

/// Asks all rules and prints a line of each. 77 where there is no driver or no device.
int ask_all(const Options& options);
/// Asks the rules that are named, in this process, which ends.
[[noreturn]] void ask_here(const Options& options);
/// Compiles the kernels, and prints what the device is called; 77 where there is no driver or no device.
int write_code(const Options& options);

}  // namespace facts
