// The `pintle` command: reads the command line, runs one command, answers its exit code.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>

#include "base/contain.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "cli/version.h"

namespace pintle::cli {
namespace {

void declare(CLI::App& app, Chosen& chosen) {
  app.name("pintle");
  app.set_version_flag("--version", version_text,
                       "Print the version, the commit, the backends and the layers, and exit");
  app.require_subcommand(0, 1);  // what is no command is named before the want of one
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

ExitCode run(int count, char** arguments) {
  Chosen chosen;
  CLI::App app("Runs programs on any accelerator, and says what is there and what is wrong.");
  declare(app, chosen);
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return finish(Output(Style::text), code == 0 ? ExitCode::ok : ExitCode::usage);
  }
  const Output output(chosen.json ? Style::json : Style::text);
  if (!chosen.action) {
    output.words("pintle: A command is required; `pintle --help` lists them.");
    return ExitCode::usage;
  }
  return finish(output, base::contain("running the command", [&] { return chosen.action(output); }));
}

}  // namespace
}  // namespace pintle::cli

int main(int count, char** arguments) {
  using namespace pintle;
  const auto code =
      base::contain("reading the command line", [&]() -> Result<cli::ExitCode> { return cli::run(count, arguments); });
  if (code) return static_cast<int>(*code);
  cli::Output(cli::Style::text).failure(code.error());
  return static_cast<int>(cli::exit_code(code.error().code()));
}
