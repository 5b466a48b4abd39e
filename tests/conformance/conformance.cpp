#include "conformance/conformance.h"

#include <algorithm>
#include <array>
#include <utility>

#include "conformance/rig.h"

namespace pintle::conformance {
namespace {

void count(ConformReport& report, const ConformRow& row) {
  const std::array<std::size_t*, 4> counts{&report.passed, &report.failed, &report.skipped, &report.gaps};
  ++*counts[static_cast<std::size_t>(row.result)];
}

ConformReport refused(const ConformOptions& options, Error error) {
  ConformReport report{.device = options.device, .failed = 1, .rows = {}, .error = std::move(error)};
  return report;
}

}  // namespace

std::vector<std::string> conformance_cases() {
  std::vector<std::string> names;
  for (const Case& known : all_cases()) names.push_back(known.name());
  std::ranges::sort(names);
  return names;
}

ConformReport run_conformance(const ConformOptions& options) {
  auto rig = Rig::open(options.device);
  if (!rig) return refused(options, rig.error());
  ConformReport report{.device = std::string((*rig)->id()), .rows = {}, .error = {}};
  for (const Case& known : all_cases()) {
    if (!matches(options.filter, known.name())) continue;
    const ConformRow& row =
        report.rows.emplace_back((*rig)->run(known, options.required ? Missing::failed : Missing::skipped));
    count(report, row);
    if (options.on_row) options.on_row(row);
  }
  if (!report.rows.empty()) return report;
  return refused(options, Error(Errc::not_found, "Filter \"" + options.filter + "\" matches no case."));
}

}  // namespace pintle::conformance
