// `pintle doctor`: what is wrong with this machine, and what to do about it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/findings.h"
#include "cli/listing.h"
#include "cli/table.h"

namespace pintle::cli {
namespace {

struct DoctorOptions {
  std::string root = "/";
  std::string load;
  std::optional<std::string> open;
  bool list = false;
  bool here = false;
  bool probe = false;
  bool questions = false;
  std::string attempt;
  std::string ask;
  std::uint64_t bytes = 0;
};

// --help does not show the options without a group: this command gives them to processes that it starts, and its tests
// use them.
void declare(CLI::App& command, DoctorOptions& options) {
  command.add_flag(
      "--probe", options.probe,
      "Try the largest allocation of each device, and what kernels may ask texel buffers; what fails is left out "
      "from then on");
  command.add_option("--root", options.root, "Folder whose dev/ is looked at")->group("");
  command.add_option("--load", options.load, "Load this library and do nothing else")->group("");
  command.add_flag("--list", options.list, "List the devices as JSON and do nothing else")->group("");
  command.add_option("--open", options.open, "Open this device and do nothing else")->group("");
  command.add_option("--attempt", options.attempt, "Try one allocation of this device and do nothing else")->group("");
  command.add_option("--ask", options.ask, "Ask a texel buffer of this device and do nothing else")->group("");
  command.add_option("--bytes", options.bytes, "The size of that allocation")->group("");
  command.add_flag("--questions", options.questions, "Look at what kernels may ask texel buffers and at nothing else")
      ->group("");
  command.add_flag("--here", options.here, "Look at the devices in this process and at nothing else")->group("");
}

Findings look(const DoctorOptions& options) {
  if (options.here) return check_devices_here();
  if (options.questions) return check_questions();
  constexpr std::array checks{check_settings, check_devices, check_drivers, check_compiler, check_cache, check_threads};
  Findings all = check_nodes(options.root);
  for (const auto check : checks) std::ranges::move(check(), std::back_inserter(all));
  if (!options.probe) return all;
  for (const auto check : {check_allocations, check_questions}) std::ranges::move(check(), std::back_inserter(all));
  return all;
}

std::string as_text(const Findings& findings) {
  std::vector<std::vector<std::string>> rows;
  for (const Finding& finding : findings) {
    rows.push_back({std::string(name(finding.verdict)), finding.subject, finding.text});
    if (!finding.next_step.empty()) rows.push_back({"", "", " - Next step: " + finding.next_step});
  }
  return table(rows);
}

Json as_json(const Findings& findings) {
  Json json{{"findings", Json::array()}};
  for (const Finding& finding : findings) json["findings"].push_back(to_json(finding));
  return json;
}

/// What another process of this command wants to know; empty where nothing is wanted but findings.
std::optional<Result<void>> do_one_thing(const DoctorOptions& options) {
  if (!options.load.empty()) return load_library(options.load);
  if (options.open) return open_here(*options.open);
  if (!options.attempt.empty()) return try_allocation(options.attempt, options.bytes);
  if (!options.ask.empty()) return ask_texels(options.ask);
  return std::nullopt;
}

Result<ExitCode> run(const DoctorOptions& options, const Output& output) {
  if (options.list) {
    PINTLE_ASSIGN(listed, list_here());
    output.json(listed);
    return ExitCode::ok;
  }
  if (const auto done = do_one_thing(options)) {
    PINTLE_TRY(*done);
    return ExitCode::ok;
  }
  const Findings findings = look(options);
  if (output.is_json()) output.json(as_json(findings));
  else output.text(as_text(findings));
  const bool failed =
      std::ranges::any_of(findings, [](const Finding& finding) { return finding.verdict == Verdict::fail; });
  return failed ? ExitCode::failed : ExitCode::ok;
}

}  // namespace

void add_doctor(CLI::App& app, Chosen& chosen) {
  add_command(app, chosen, "doctor", "Check the devices, the compiler, the cache and the settings", declare, run);
}

}  // namespace pintle::cli
