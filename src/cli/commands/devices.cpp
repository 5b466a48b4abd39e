// `pintle devices`: which devices are here, and why others are not.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/listing.h"
#include "cli/table.h"

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
void print_text(const Json& document, const Output& output) {
  const auto text = [](const Json& row, const char* key) { return row.value(key, ""); };
  std::vector<std::vector<std::string>> rows;
  for (const Json& device : document["devices"]) {
    const std::string id = text(device, "id"), by_name = text(device, "id_by_name");
    rows.push_back(
        {by_name, by_name == id ? "" : id, text(device, "kind"), text(device, "name"), text(device, "driver")});
  }
  output.text(table(rows));
  for (const Json& absence : document["absences"]) {
    output.words(fmt::format("No {} device: {}\n - Next step: {}", text(absence, "backend"), text(absence, "reason"),
                             text(absence, "next_step")));
  }
}

Result<ExitCode> run(const DevicesOptions& options, const Output& output) {
  PINTLE_ASSIGN(listing, list_apart(output));
  if (output.is_json()) output.json(listing.document);
  if (listing.exit != ExitCode::ok) return listing.exit;
  if (!output.is_json()) print_text(listing.document, output);
  bool all_open = true;
  for (const std::string& id : options.required) all_open &= opens_apart(id, output);
  return all_open ? ExitCode::ok : ExitCode::unavailable;
}

}  // namespace

void add_devices(CLI::App& app, Chosen& chosen) {
  add_command(app, chosen, "devices", "List the devices, and why others are absent", declare, run);
}

}  // namespace pintle::cli
