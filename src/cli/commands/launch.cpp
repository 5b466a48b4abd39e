// `pintle launch -n N PROGRAM`: the ranks of a group as processes of this host.
#include <fmt/format.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/quote.h"
#include "base/subprocess.h"
#include "cli/command.h"
#include "cli/launch_ranks.h"

namespace pintle::cli {
namespace {

constexpr int first_signal = 128;  // as shells tell signals from exit codes

struct LaunchOptions {
  std::uint32_t ranks = 1;
  std::uint32_t restarts = 0;
  std::uint32_t grace = 10;  // seconds
  std::vector<std::string> program;
};

/// Everything from the program's name on belongs to the program, whatever it looks like.
void take_program(const CLI::App& command, LaunchOptions& options) {
  options.program = command.remaining();
  if (!options.program.empty() && options.program.front() == "--") {
    options.program.erase(options.program.begin());
  } else if (!options.program.empty() && options.program.front().starts_with('-')) {
    throw CLI::ExtrasError(command.get_name(), {options.program.front()});
  }
  if (options.program.empty()) throw CLI::RequiredError("PROGRAM");
}

void declare(CLI::App& command, LaunchOptions& options) {
  whole(command.add_option("-n,--ranks", options.ranks, "Processes to start")->required(), 1u, 1024u);
  auto* const restarts = command.add_option("--restarts", options.restarts,
                                            "How often a process that failed is started again, of all together");
  whole(restarts, 0u, 1'000'000u);
  auto* const grace = command.add_option(
      "--grace", options.grace,
      "Seconds that the processes have to end after SIGTERM, SIGINT or SIGHUP; then they are killed");
  whole(grace->capture_default_str(), 0u, 86'400u);
  // A positional that takes nothing. Without one the parser would end this command at "--"; one that took the program's
  // name would leave the program's options to this command.
  command.add_option("PROGRAM", "Program, then its arguments")
      ->type_name("")
      ->check([](const std::string&) { return std::string("taken as it is"); }, "");
  command.validate_positionals();
  command.prefix_command();
  command.parse_complete_callback([&command, &options] { take_program(command, options); });
}

int code_of(const base::ProcessEnd& end) { return end.signal != 0 ? first_signal + end.signal : end.code; }

/// The exit code of the lowest rank that failed.
int code_of(const std::vector<RankEnd>& ends) {
  for (const RankEnd& rank : ends) {
    if (!rank.end.is_success()) return code_of(rank.end);
  }
  return 0;
}

void print_words(const std::vector<RankEnd>& ends, const Output& output) {
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    const base::ProcessEnd& end = ends[rank].end;
    if (!end.is_success()) output.words(fmt::format("Rank {} {}.", rank, text(end)));
  }
}

void print_json(const std::vector<RankEnd>& ends, const Output& output) {
  Json rows = Json::array();
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    const base::ProcessEnd& end = ends[rank].end;
    rows.push_back({{"rank", rank},
                    {"code", end.signal == 0 ? Json(end.code) : Json()},
                    {"signal", end.signal != 0 ? Json(end.signal) : Json()},
                    {"restarts", ends[rank].restarts}});
  }
  output.json({{"ranks", rows}, {"exit", code_of(ends)}});
}

Result<ExitCode> run(const LaunchOptions& options, const Output& output) {
  base::occupy_standard_streams();  // otherwise a rank would print into the first file that it opens
  Job job{.arguments = options.program,
          .ranks = options.ranks,
          .restarts = options.restarts,
          .grace = std::chrono::seconds(options.grace)};
  const auto program = base::find_program(job.arguments.front());
  if (!program) {
    return Error(Errc::not_found, fmt::format("Program {} is not found.", base::quote(job.arguments.front(), 4096)));
  }
  job.arguments.front() = *program;
  PINTLE_ASSIGN(ends, launch_ranks(job, [&](const std::string& words) { output.words(words); }));
  print_words(ends, output);
  if (output.is_json()) print_json(ends, output);
  return static_cast<ExitCode>(code_of(ends));
}

}  // namespace

void add_launch(CLI::App& app, Chosen& chosen) {
  add_command(app, chosen, "launch", "Run a program as the ranks of a group", declare, run);
}

}  // namespace pintle::cli
