// What a command is: options on the command line, then an action that returns an exit code.
#pragma once

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <concepts>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "base/parse.h"
#include "base/quote.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "pintle/error.h"

namespace pintle::cli {

/// The command that the command line names, ready to run.
struct Chosen {
  bool json = false;
  std::function<Result<ExitCode>(const Output& output)> action;
};

/// The function that adds a command of the folder `commands`: `void add_<its file>(CLI::App&, Chosen&)`.
using AddCommand = void (*)(CLI::App& app, Chosen& chosen);

/// Adds a command: `declare` names its options, `run` does the work with them.
template <class Options>
CLI::App& add_command(CLI::App& app, Chosen& chosen, const std::string& name, const std::string& description,
                      void (*declare)(CLI::App& command, Options& options),
                      Result<ExitCode> (*run)(const Options& options, const Output& output)) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand(name, description);
  command.option_defaults()->always_capture_default();
  declare(command, *options);
  command.add_flag("--json", chosen.json, "Print JSON on standard output");
  command.callback([&chosen, &command, options, run] {
    if (!command.get_subcommands().empty()) return;  // the subcommand runs instead
    chosen.action = [options, run](const Output& output) { return run(*options, output); };
  });
  return command;
}

/// An option's check that asks a parser; the parser's error is a usage error.
template <class T>
[[nodiscard]] auto checked_by(Result<T> (*parse)(std::string_view text)) {
  return [parse](const std::string& text) {
    const auto parsed = parse(text);
    return parsed ? std::string() : parsed.error().text();
  };
}

/// Lets an option take a whole number within the limits only: digits, without a sign, which the reader of options would
/// take for the number of its bits.
template <std::unsigned_integral T>
CLI::Option* whole(CLI::Option* option, T least = 0, T most = std::numeric_limits<T>::max()) {
  const auto check = [least, most](const std::string& text) {
    if (base::parse_number<T>(text, least, most)) return std::string();
    return fmt::format("Value {} is not valid; it takes a whole number from {} to {}.", base::quote(text), least, most);
  };
  return option->check(check, "");
}

}  // namespace pintle::cli
