// `pintle info DEVICE`: everything that is known of one device, and the settings in effect. `pintle info PACK`: what a
// pack has.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/settings.h"
#include "cli/command.h"
#include "cli/describe.h"
#include "cli/listed_pack.h"
#include "cli/table.h"
#include "pintle/device.h"

namespace pintle::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

struct InfoOptions {
  std::string device = "best";
};

void declare(CLI::App& command, InfoOptions& options) {
  command.add_option("DEVICE", options.device, "The device's id, as `pintle devices` lists it, or a pack");
}

std::string section(std::string_view title, const Rows& rows) { return fmt::format("{}\n{}", title, table(rows)); }

std::string identity(const DeviceInfo& device) {
  const auto progress = device.progress == Progress::own ? "by itself" : "driven by the calling thread";
  return section("identity", {{"  id", device.id},
                              {"  backend", device.backend},
                              {"  kind", std::string(name(device.kind))},
                              {"  name", device.name},
                              {"  driver", device.driver},
                              {"  uuid", device.uuid.empty() ? "-" : device.uuid},
                              {"  progress", progress},
                              {"  formats", fmt::format("{}", fmt::join(device.formats, ", "))},
                              {"  target", device.target.empty() ? "-" : device.target},
                              {"  clock", fmt::format("{} ns a tick", device.nanoseconds_per_tick)}});
}

/// Formats that the device would take; empty where it takes them all.
std::string absent_formats(const DeviceInfo& device) {
  Rows rows;
  for (const AbsentFormat& absent : device.absent_formats) rows.push_back({"  " + absent.format, absent.reason});
  return rows.empty() ? std::string() : section("formats that are missing", rows);
}

std::string limits(const Limits& limits) {
  return section(
      "limits",
      {{"  largest allocation", text_of_bytes(limits.max_allocation)},
       {"  largest binding", text_of_bytes(limits.max_binding)},
       {"  offset alignment", text_of_bytes(limits.offset_alignment)},
       {"  work-groups of a launch", text_of(limits.max_grid)},
       {"  work-items of a group", fmt::format("{}, {} in all", text_of(limits.max_group), limits.max_group_items)},
       {"  local memory of a group", text_of_bytes(limits.max_local_bytes)},
       {"  buffers of an entry", fmt::to_string(limits.max_buffers)},
       {"  scalars of an entry", text_of_bytes(limits.max_scalar_bytes)},
       {"  items of a subgroup", fmt::format("{} to {}", limits.min_subgroup, limits.max_subgroup)},
       {"  sides of an image", fmt::format("{} in 2-D, {} in 3-D", limits.max_image_2d, limits.max_image_3d)},
       {"  texels of a buffer",
        fmt::format("{}, at multiples of {}", limits.max_texel_buffer, text_of_bytes(limits.texel_alignment))},
       {"  submissions in flight", fmt::to_string(limits.max_in_flight)}});
}

/// One row for each access that texels have.
void add_texels(Rows& rows, std::string_view of, const std::vector<TexelSupport>& texels) {
  for (const Access access : {Access::read_write, Access::read, Access::write}) {
    std::string names;
    for (const TexelSupport& support : texels)
      if (support.access == access) names.append(names.empty() ? "" : ", ").append(name(support.texel));
    if (!names.empty()) rows.push_back({fmt::format("  {}, {}", of, name(access)), names});
  }
}

/// Empty where kernels have no texels.
std::string texels(const DeviceInfo& device) {
  Rows rows;
  add_texels(rows, "images", device.texels);
  add_texels(rows, "texel buffers", device.buffer_texels);
  return rows.empty() ? std::string() : section("texels", rows);
}

std::string capabilities(const DeviceInfo& device) {
  Rows rows;
  for (const Capability& row : device.capabilities) {
    rows.push_back({"  " + std::string(name(row.feature)), std::string(name(row.support)), row.detail});
  }
  return section("capabilities", rows);
}

std::string heaps_text(const std::vector<Heap>& heaps) {
  Rows rows;
  for (const Heap& heap : heaps) {
    const auto available =
        heap.available ? text_of_bytes(*heap.available) + " available" : "nobody knows what is available";
    rows.push_back({"  " + heap.name, text_of_bytes(heap.total), available, text_of_bytes(heap.used) + " used",
                    "(" + heap.source + ")"});
  }
  return section("heaps", rows);
}

std::string settings_text() {
  Rows rows;
  for (const base::SettingRow& row : base::setting_rows()) {
    rows.push_back({"  " + std::string(row.name), row.value.empty() ? "-" : row.value, std::string(row.source),
                    std::string(row.meaning)});
  }
  return section("settings", rows);
}

Json settings_json() {
  Json json = Json::array();
  for (const base::SettingRow& row : base::setting_rows()) {
    json.push_back({{"name", row.name},
                    {"value", row.value},
                    {"source", row.source},
                    {"meaning", row.meaning},
                    {"valid", row.valid}});
  }
  return json;
}

Json as_json(const DeviceInfo& device, const std::vector<Heap>& heaps) {
  Json json{{"device", to_json(device)}, {"heaps", Json::array()}, {"settings", settings_json()}};
  for (const Heap& heap : heaps) json["heaps"].push_back(to_json(heap));
  return json;
}

/// A file, or a folder with a description.
bool is_pack(const std::string& name) {
  std::error_code none;
  return std::filesystem::is_regular_file(name, none) ||
         std::filesystem::is_regular_file(std::filesystem::path(name) / "pack.json", none);
}

Result<ExitCode> show_pack(const std::string& file, const Output& output) {
  PINTLE_ASSIGN(pack, open_pack(file));
  output.is_json() ? output.json(as_json(file, pack)) : output.text(as_text(pack));
  return ExitCode::ok;
}

Result<ExitCode> run(const InfoOptions& options, const Output& output) {
  if (is_pack(options.device)) return show_pack(options.device, output);
  PINTLE_ASSIGN(device, open(options.device));
  PINTLE_ASSIGN(heaps, device.budget());
  const DeviceInfo info = device.info();
  if (output.is_json()) {
    output.json(as_json(info, heaps));
  } else {
    output.text(identity(info) + absent_formats(info) + limits(info.limits) + capabilities(info) + texels(info) +
                heaps_text(heaps) + settings_text());
  }
  return ExitCode::ok;
}

}  // namespace

void add_info(CLI::App& app, Chosen& chosen) {
  add_command(app, chosen, "info", "Show a device's identity, limits, capabilities and memory", declare, run);
}

}  // namespace pintle::cli
