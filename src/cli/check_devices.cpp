#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/backends.h"
#include "cli/findings.h"
#include "cli/output.h"
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

Findings probe(const std::string& backend) {
  const auto document = ask_alone(backend, {"doctor", "--here", "--json"}, "findings");
  if (!document) return {{backend, Verdict::fail, std::string(document.error().message()), next_step_without(backend)}};
  Findings findings;
  for (const Json& row : (*document)["findings"]) findings.push_back(finding_of(row));
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
  for (const std::string& backend : chosen_backends()) std::ranges::move(probe(backend), std::back_inserter(all));
  return all;
}

}  // namespace pintle::cli
