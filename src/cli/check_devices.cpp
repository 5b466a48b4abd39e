#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/platform.h"
#include "cli/child.h"
#include "cli/findings.h"
#include "cli/output.h"
#include "cli/version.h"
#include "pintle/device.h"

namespace pintle::cli {
namespace {

Finding look_at(const DeviceInfo& info) {
  const auto device = open(info.id);
  if (!device)
    return {info.id, Verdict::fail, device.error().text(), "Run with PINTLE_LOG=debug to see what was tried."};
  const auto health = device->health();
  if (!health) return {info.id, Verdict::fail, health.error().text(), "Reset the device or restart the machine."};
  return {info.id, Verdict::ok, fmt::format("{} ({}), opens and answers", info.name, info.driver), ""};
}

std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  for (const auto part : list | std::views::split(',')) {
    std::string_view name(part.begin(), part.end());
    while (name.starts_with(' ')) name.remove_prefix(1);
    names.emplace_back(name);
  }
  return names;
}

std::vector<std::string> backends() {
  const char* const chosen = base::variable("PINTLE_BACKENDS");
  return names_in(chosen != nullptr && *chosen != 0 ? std::string_view(chosen) : backend_list());
}

Findings broken(const std::string& backend, std::string text) {
  return {{backend, Verdict::fail, std::move(text),
           fmt::format("Find out which driver it is in the rows of drivers, remove or update it; until then name the "
                       "other backends in PINTLE_BACKENDS, without {}.",
                       backend)}};
}

Findings probe(const std::string& backend) {
  const auto child = run_child({"PINTLE_BACKENDS=" + backend}, {"doctor", "--here", "--json"});
  if (!child) return broken(backend, "Looking for devices in a process of its own fails: " + child.error().text());
  const Json json =
      Json::parse(child->output.substr(std::min(child->output.find('{'), child->output.size())), nullptr, false);
  if (json.is_discarded() || !json.contains("findings")) {
    return broken(backend, fmt::format("A process that looks for devices {}.", end_of(*child)));
  }
  Findings findings;
  for (const Json& row : json["findings"]) findings.push_back(finding_of(row));
  return findings;
}

}  // namespace

Findings check_devices_here() {
  const auto list = devices();
  if (!list) return {{"devices", Verdict::fail, list.error().text(), "Correct what the message names."}};
  Findings findings;
  for (const DeviceInfo& info : list->devices) findings.push_back(look_at(info));
  for (const Absence& absence : list->absences) {
    findings.push_back({absence.backend, Verdict::warn, absence.reason, absence.next_step});
  }
  return findings;
}

Findings check_devices() {
  Findings all;
  for (const std::string& backend : backends()) std::ranges::move(probe(backend), std::back_inserter(all));
  return all;
}

}  // namespace pintle::cli
