// The `pintle` command: reads the command line, runs one command, returns its exit code.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <sstream>

#include "base/contain.h"
#include "base/log.h"
#include "base/platform.h"
#include "base/settings.h"
#include "cli/commands.h"
#include "cli/compilers/slang.h"
#include "cli/exit_code.h"
#include "cli/last_words.h"
#include "cli/output.h"
#include "cli/usage.h"
#include "cli/version.h"

namespace pintle::cli {
namespace {

void declare(CLI::App& app, Chosen& chosen) {
  app.name("pintle");
  app.set_version_flag("--version", version_text,
                       "Print the version, the commit, the backends and the layers, and exit");
  app.require_subcommand(0, 1);                    // a word that is no command is reported before a missing command
  app.add_flag("--json", chosen.json)->group("");  // each command has it; it means the same before the command
  app.footer(exit_code_table());
  for (const AddCommand add : commands()) add(app, chosen);
}

ExitCode finish(const Output& output, const Result<ExitCode>& result) {
  if (!result) output.failure(result.error());
  const auto flushed = output.flush();
  if (!flushed) output.words("pintle: " + flushed.error().text());
  if (!result) return exit_code(result.error().code());
  return flushed ? *result : ExitCode::io;
}

/// Help and the version also end the parsing, without an error.
ExitCode stopped(const CLI::App& app, const CLI::ParseError& error, const Output& output) {
  if (error.get_exit_code() != 0) {
    output.failure(usage_error(app, error), ExitCode::usage);
    return finish(output, ExitCode::usage);
  }
  std::ostringstream data, words;
  app.exit(error, data, words);
  output.text(data.str());
  return finish(output, ExitCode::ok);
}

/// A misspelt variable changes nothing, and no one would notice. The log says so where it is switched on.
void warn_of_settings(const Output& output) {
  if (base::log_enabled(LogLevel::warn)) {
    static_cast<void>(base::settings());
    return;
  }
  const auto environment = base::environment();
  for (const std::string& name : base::unknown_settings(environment))
    output.words("pintle: " + base::words_on_unknown(name));
}

ExitCode run(int count, char** arguments) {
  Chosen chosen;
  CLI::App app("Runs programs on any accelerator, and says what is there and what is wrong.");
  declare(app, chosen);
  try {
    app.parse(count, arguments);
    if (!chosen.action) throw CLI::ParseError("A command is required", static_cast<int>(ExitCode::usage));
  } catch (const CLI::ParseError& error) {
    return stopped(app, error, Output(style_asked_by({arguments, static_cast<std::size_t>(count)})));
  }
  const Output output(chosen.json ? Style::json : Style::text);
  say_last_words(chosen.json ? Style::json : Style::text);
  if (!app.got_subcommand("doctor")) warn_of_settings(output);  // doctor has a row for each
  return finish(output, base::contain("running the command", [&] { return chosen.action(output); }));
}

}  // namespace
}  // namespace pintle::cli

int main(int count, char** arguments) {
  using namespace pintle;
  if (const auto status = cli::slang_child(count, arguments)) return *status;
  const auto code =
      base::contain("reading the command line", [&]() -> Result<cli::ExitCode> { return cli::run(count, arguments); });
  if (code) return static_cast<int>(*code);
  cli::Output(cli::Style::text).failure(code.error());
  return static_cast<int>(cli::exit_code(code.error().code()));
}
