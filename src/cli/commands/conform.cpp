// `pintle conform`: the conformance suite on one device.
#include <fmt/format.h>

#include <string>

#include "cli/command.h"
#include "conformance/conformance.h"

namespace pintle::cli {
namespace {

using conformance::ConformReport;
using conformance::ConformRow;
using conformance::Outcome;

struct ConformOptionsGiven {
  std::string device = "best";
  std::string filter;
  bool required = false;
};

void declare(CLI::App& command, ConformOptionsGiven& options) {
  command.add_option("--device", options.device, "Device to test");
  command.add_option("--filter", options.filter, "Only cases whose name matches; * and ? are wildcards. Empty: all");
  command.add_flag("--required", options.required, "A skip for want of something on this machine is a failure");
}

void tell(const ConformRow& row, const Output& output) {
  const auto message = row.message.empty() ? "" : ": " + row.message;
  const auto line = fmt::format("{:<8}{}{}", conformance::name(row.result), row.name, message);
  output.is_json() ? output.words(line) : output.text(line);
}

void print_json(const ConformReport& report, const Output& output) {
  Json json{{"passed", report.passed}, {"failed", report.failed}, {"skipped", report.skipped},
            {"gaps", report.gaps},     {"device", report.device}, {"cases", Json::array()}};
  for (const ConformRow& row : report.rows) {
    json["cases"].push_back({{"name", row.name}, {"result", conformance::name(row.result)}, {"message", row.message}});
  }
  output.json(json);
}

Result<ExitCode> run(const ConformOptionsGiven& options, const Output& output) {
  const auto report = conformance::run_conformance(
      {options.device, options.filter, options.required, [&](const ConformRow& row) { tell(row, output); }});
  if (report.error) return *report.error;
  if (output.is_json()) {
    print_json(report, output);
  } else {
    output.text(fmt::format("{}: {} passed, {} failed, {} skipped, {} gaps", report.device, report.passed,
                            report.failed, report.skipped, report.gaps));
  }
  return report.failed == 0 ? ExitCode::ok : ExitCode::failed;
}

}  // namespace

void add_conform(CLI::App& app, Chosen& chosen) {
  add_command(app, chosen, "conform", "Run the conformance suite on a device", declare, run);
}

}  // namespace pintle::cli
