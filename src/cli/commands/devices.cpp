// `pintle devices`: which devices are here, and why others are not.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/describe.h"
#include "cli/table.h"
#include "pintle/device.h"
#include "pintle/device_name.h"

namespace pintle::cli {
namespace {

struct DevicesOptions {
  std::vector<std::string> required;
};

void declare(CLI::App& command, DevicesOptions& options) {
  command.add_option("--require", options.required, "Exit with 3 unless this device opens (may be repeated)")
      ->allow_extra_args(false)
      ->default_str("");
}

/// The first column opens the device whatever else is installed; the next is its abbreviation.
void print_text(const DeviceList& list, const Output& output) {
  const auto ids = ids_by_name(list.devices);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const DeviceInfo& device = list.devices[i];
    rows.push_back(
        {ids[i], ids[i] == device.id ? "" : device.id, std::string(name(device.kind)), device.name, device.driver});
  }
  output.text(table(rows));
  for (const Absence& absence : list.absences) {
    output.words(fmt::format("No {} device: {}\n - Next step: {}", absence.backend, absence.reason, absence.next_step));
  }
}

void print_json(const DeviceList& list, const Output& output) {
  Json json{{"devices", Json::array()}, {"absences", Json::array()}};
  const auto ids = ids_by_name(list.devices);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    json["devices"].push_back(to_json(list.devices[i]));
    json["devices"].back()["id_by_name"] = ids[i];
  }
  for (const Absence& absence : list.absences) json["absences"].push_back(to_json(absence));
  output.json(json);
}

/// Prints the words for each device that does not open; true when all open.
bool all_open(const std::vector<std::string>& ids, const Output& output) {
  bool all = true;
  for (const std::string& id : ids) {
    const auto device = open(id);
    if (!device) output.words(device.error().during(fmt::format("looking for required device \"{}\"", id)).text());
    all = all && device.has_value();
  }
  return all;
}

Result<ExitCode> run(const DevicesOptions& options, const Output& output) {
  PINTLE_ASSIGN(list, devices());
  output.is_json() ? print_json(list, output) : print_text(list, output);
  return all_open(options.required, output) ? ExitCode::ok : ExitCode::unavailable;
}

}  // namespace

void add_devices(CLI::App& app, Chosen& chosen) {
  add_command(app, chosen, "devices", "List the devices, and why others are absent", declare, run);
}

}  // namespace pintle::cli
