// Explores the scenarios from the command line. `explore` runs all of them, `explore NAME` one, `explore NAME SCHEDULE`
// replays a schedule step by step, `explore --hunt FAULT` succeeds when some scenario finds that fault.
#include <cstdio>
#include <string_view>
#include <vector>

#include "interleaving/model/explorer.h"

namespace pintle::interleaving {
namespace {

constexpr int as_expected = 0;
constexpr int not_as_expected = 1;
constexpr int bad_usage = 2;

void print(std::string_view name, const Report& report) {
  std::printf("%.*s: %s\n", static_cast<int>(name.size()), name.data(), report.summary().c_str());
  if (report.violation) std::printf("%s", report.story().c_str());
}

int explore_all(std::string_view only) {
  int result = only.empty() ? as_expected : bad_usage;
  for (const Scenario& scenario : scenarios()) {
    if (!only.empty() && scenario.name != only) continue;
    const Report report = explore(scenario);
    print(scenario.name, report);
    result = report.violation || !report.exhaustive ? not_as_expected : only.empty() ? result : as_expected;
    if (report.violation) break;
  }
  return result;
}

int replay_one(std::string_view name, std::string_view schedule) {
  for (const Scenario& scenario : scenarios()) {
    if (scenario.name != name) continue;
    const auto report = replay(scenario, schedule);
    std::printf("%s", report ? report->story().c_str() : "The schedule does not fit the scenario.\n");
    return !report ? bad_usage : report->violation ? not_as_expected : as_expected;
  }
  return bad_usage;
}

int hunt(std::string_view wanted) {
  const auto fault = parse_fault(wanted);
  if (!fault) return bad_usage;
  for (const Scenario& scenario : scenarios()) {
    const Report report = explore(scenario);
    if (!report.violation) continue;
    print(scenario.name, report);
    if (report.violation->fault == *fault) return as_expected;
  }
  std::printf("No scenario finds the fault (%.*s).\n", static_cast<int>(wanted.size()), wanted.data());
  return not_as_expected;
}

}  // namespace
}  // namespace pintle::interleaving

int main(int count, char** arguments) {
  using namespace pintle::interleaving;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::vector<std::string_view> words(arguments + 1, arguments + count);
  if (words.size() == 2 && words[0] == "--hunt") return hunt(words[1]);
  if (words.size() == 2) return replay_one(words[0], words[1]);
  return explore_all(words.empty() ? "" : words[0]);
}
