#include "cli/collective_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/platform.h"
#include "cli/collective_arguments.h"
#include "cli/collective_bench.h"
#include "cli/collective_picture.h"
#include "cli/collective_report.h"

namespace pintle::cli {
namespace {

constexpr std::uint32_t usual_ranks = 2;

/// What this process was started as, by a launcher's variables.
struct Started {
  std::string transport;  ///< Empty: it was started alone.
  std::string variables;  ///< "PINTLE_RANKS=2".
  std::string rank = "0";
};

Started started() {
  struct Launcher {
    const char* ranks;
    const char* rank;
    std::string_view transport;
  };
  constexpr std::array launchers{Launcher{"PINTLE_RANKS", "PINTLE_RANK", "shm"},
                                 Launcher{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "mpi"},
                                 Launcher{"PMI_SIZE", "PMI_RANK", "mpi"}};
  for (const Launcher& launcher : launchers) {
    const char* const ranks = base::variable(launcher.ranks);
    if (ranks == nullptr) continue;
    const char* const rank = base::variable(launcher.rank);
    return {std::string(launcher.transport), fmt::format("{}={}", launcher.ranks, ranks), rank ? rank : "0"};
  }
  return {};
}

/// Prints text rows as they come, and a document when all rows are there.
class Printer {
 public:
  Printer(const CollectiveArguments& arguments, const Output& output, CollectiveSubject subject)
      : arguments_(arguments), output_(output), subject_(std::move(subject)) {
    if (output_.is_json()) return;
    print(arguments_.is_csv ? std::string(csv_heading()) : heading_text(subject_));
  }

  void row(const CollectiveRow& row) const {
    if (!output_.is_json()) print(arguments_.is_csv ? row_csv(row) : row_text(row));
  }

  Result<ExitCode> end(const std::vector<CollectiveRow>& rows) const {
    if (output_.is_json()) output_.json(to_json(subject_, rows));
    else if (!arguments_.is_csv) print(ending_text(rows));
    if (!arguments_.svg.empty()) PINTLE_TRY(base::write_file(arguments_.svg, base::bytes_in(picture(subject_, rows))));
    return wrong_elements(rows) == 0 ? ExitCode::ok : ExitCode::failed;
  }

 private:
  void print(const std::string& text) const {
    output_.text(text);
    std::fflush(stdout);  // rows are there while later ones are measured
  }

  const CollectiveArguments& arguments_;
  const Output& output_;
  const CollectiveSubject subject_;
};

Result<ExitCode> run_threads(const CollectiveArguments& arguments, const CollectiveRequest& request,
                             const Output& output) {
  const std::uint32_t ranks = arguments.ranks == 0 ? usual_ranks : arguments.ranks;
  const Printer printer(arguments, output, {ranks, "threads", request});
  PINTLE_ASSIGN(rows, measure_collectives_in_threads(ranks, request.terms.timeout, request,
                                                     [&](const CollectiveRow& row) { printer.row(row); }));
  return printer.end(rows);
}

/// Rank 0 prints; the other ranks tell what they have seen by their exit code.
Result<ExitCode> run_member(Group& group, const CollectiveArguments& arguments, const CollectiveRequest& request,
                            const Output& output) {
  if (arguments.ranks != 0 && arguments.ranks != group.ranks())
    return Error(Errc::invalid_argument, fmt::format("--ranks ({}) is not the number of ranks ({}) of {}.",
                                                     arguments.ranks, group.ranks(), group.text()));
  if (group.rank() != 0) {
    PINTLE_ASSIGN(rows, measure_collectives(group, request, {}));
    return wrong_elements(rows) == 0 ? ExitCode::ok : ExitCode::failed;
  }
  const Printer printer(arguments, output, {group.ranks(), std::string(group.transport()), request});
  PINTLE_ASSIGN(rows, measure_collectives(group, request, [&](const CollectiveRow& row) { printer.row(row); }));
  return printer.end(rows);
}

Result<ExitCode> join_and_run(const std::string& transport, const CollectiveArguments& arguments,
                              const CollectiveRequest& request, const Output& output) {
  PINTLE_ASSIGN(group, Group::join({.label = "bench", .transport = transport, .timeout = request.terms.timeout}));
  return run_member(group, arguments, request, output);
}

/// This process's arguments, as the system keeps them.
Result<std::vector<std::string>> own_arguments() {
  PINTLE_ASSIGN(bytes, base::read_file("/proc/self/cmdline"));
  std::vector<std::string> arguments;
  for (std::string_view rest = base::text_in(bytes); !rest.empty();) {
    const auto end = std::min(rest.find('\0'), rest.size());
    arguments.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return arguments;
}

/// Becomes `pintle launch` of itself: each rank comes back here with its place in the group.
Error become_launcher(std::uint32_t ranks) {
  std::error_code failed;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe", failed).string();
  if (failed) return {Errc::io, fmt::format("/proc/self/exe cannot be read: {}.", failed.message())};
  auto own = own_arguments();
  if (!own) return own.error();
  std::vector<std::string> command{self, "launch", "-n", fmt::to_string(ranks), "--", self};
  if (!own->empty()) command.insert(command.end(), own->begin() + 1, own->end());
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  ::execv(self.c_str(), words.data());
  return {Errc::io, fmt::format("{} cannot be started: {}.", self, base::system_words(errno))};
}

Result<ExitCode> run_alone(const CollectiveArguments& arguments, const CollectiveRequest& request,
                           const Output& output) {
  const std::uint32_t ranks = arguments.ranks == 0 ? usual_ranks : arguments.ranks;
  if (arguments.transport == "shm") return become_launcher(ranks);
  if (arguments.transport == "mpi")
    return Error(Errc::unavailable,
                 fmt::format("This process was not started by MPI; run `mpirun -n {} pintle bench collective "
                             "--transport mpi`.",
                             ranks));
  return run_threads(arguments, request, output);
}

Result<ExitCode> run_started(const Started& started, const CollectiveArguments& arguments,
                             const CollectiveRequest& request, const Output& output) {
  if (arguments.transport == "threads")
    return Error(Errc::invalid_argument,
                 fmt::format("This process is one rank of a group ({}); ranks as threads are all in one process.",
                             started.variables));
  const std::string& transport = arguments.transport.empty() ? started.transport : arguments.transport;
  auto code = join_and_run(transport, arguments, request, output);
  if (code || started.rank == "0") return code;
  output.words(fmt::format("pintle: rank {}: {}", started.rank, code.error().text()));
  return exit_code(code.error().code());
}

Result<ExitCode> run(const CollectiveArguments& arguments, const Output& output) {
  PINTLE_ASSIGN(request, request_of(arguments));
  const Started place = started();
  return place.transport.empty() ? run_alone(arguments, request, output)
                                 : run_started(place, arguments, request, output);
}

}  // namespace

CLI::App& add_bench_collective(CLI::App& bench, Chosen& chosen) {
  CLI::App& command =
      add_command(bench, chosen, "collective", "Measure and check collective operations", declare_collective, run);
  command.footer("");  // not the figures of `bench` itself
  command.get_option("--csv")->excludes(command.get_option("--json"));
  return command;
}

}  // namespace pintle::cli
