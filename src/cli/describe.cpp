#include "cli/describe.h"

#include <fmt/format.h>

#include <array>

#include "base/signature.h"
#include "pintle/device_name.h"

namespace pintle::cli {
namespace {

Json describe(const Limits& limits) {
  return {{"max_allocation", limits.max_allocation},     {"max_binding", limits.max_binding},
          {"offset_alignment", limits.offset_alignment}, {"max_grid", to_json(limits.max_grid)},
          {"max_group", to_json(limits.max_group)},      {"max_group_items", limits.max_group_items},
          {"max_local_bytes", limits.max_local_bytes},   {"max_buffers", limits.max_buffers},
          {"max_scalar_bytes", limits.max_scalar_bytes}, {"max_in_flight", limits.max_in_flight},
          {"min_subgroup", limits.min_subgroup},         {"max_subgroup", limits.max_subgroup},
          {"max_image_2d", limits.max_image_2d},         {"max_image_3d", limits.max_image_3d},
          {"max_texel_buffer", limits.max_texel_buffer}, {"texel_alignment", limits.texel_alignment}};
}

Json describe(const std::vector<TexelSupport>& texels) {
  Json json = Json::array();
  for (const auto& [texel, access, is_filtered] : texels)
    json.push_back({{"texel", name(texel)}, {"access", name(access)}, {"filtered", is_filtered}});
  return json;
}

Json describe(const Capability& row) {
  return {{"feature", name(row.feature)}, {"support", name(row.support)}, {"detail", row.detail}};
}

std::string_view name(Parameter::Kind kind) noexcept {
  switch (kind) {
    case Parameter::Kind::buffer: return "buffer";
    case Parameter::Kind::scalar: return "scalar";
    case Parameter::Kind::value: return "value";
    case Parameter::Kind::image: return "image";
    case Parameter::Kind::sampler: return "sampler";
    case Parameter::Kind::texel_buffer: return "texel_buffer";
    case Parameter::Kind::local: break;
  }
  return "local";
}

Json describe(const Parameter& parameter) {
  return {{"name", parameter.name},
          {"kind", name(parameter.kind)},
          {"dtype", name(parameter.dtype)},
          {"access", name(parameter.access)},
          {"type", base::type_text(parameter)}};
}

Json describe(const Entry& entry) {
  Json json{{"name", entry.name},
            {"signature", entry.signature()},
            {"parameters", Json::array()},
            {"group_size", to_json(entry.group_size)},
            {"local_bytes", entry.local_bytes},
            {"subgroup_size", entry.subgroup_size}};
  for (const Parameter& parameter : entry.parameters) json["parameters"].push_back(describe(parameter));
  return json;
}

Json describe(const VariantInfo& variant) {
  Json json{{"format", variant.format},
            {"target", variant.target},
            {"code_bytes", variant.code_bytes},
            {"entries", Json::array()}};
  for (const Entry& entry : variant.entries) json["entries"].push_back(describe(entry));
  return json;
}

}  // namespace

Json to_json(const Grid& grid) { return Json::array({grid.x, grid.y, grid.z}); }

Json to_json(const Shape& shape) {
  Json json = Json::array();
  for (const std::uint64_t dimension : shape.dims()) json.push_back(dimension);
  return json;
}

Json to_json(const DeviceInfo& device) {
  Json absent = Json::array();
  for (const AbsentFormat& each : device.absent_formats)
    absent.push_back({{"format", each.format}, {"reason", each.reason}});
  Json json{{"id", device.id},
            {"backend", device.backend},
            {"kind", name(device.kind)},
            {"name", device.name},
            {"driver", device.driver},
            {"uuid", device.uuid},
            {"progress", device.progress == Progress::own ? "own" : "driven"},
            {"formats", device.formats},
            {"absent_formats", absent},
            {"target", device.target},
            {"nanoseconds_per_tick", device.nanoseconds_per_tick},
            {"limits", describe(device.limits)},
            {"texels", describe(device.texels)},
            {"buffer_texels", describe(device.buffer_texels)},
            {"capabilities", Json::array()}};
  for (const Capability& row : device.capabilities) json["capabilities"].push_back(describe(row));
  return json;
}

Json to_json(const Absence& absence) {
  return {{"backend", absence.backend}, {"reason", absence.reason}, {"next_step", absence.next_step}};
}

Json to_json(const DeviceList& list) {
  Json json{{"devices", Json::array()}, {"absences", Json::array()}};
  const auto ids = ids_by_name(list.devices);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    json["devices"].push_back(to_json(list.devices[i]));
    json["devices"].back()["id_by_name"] = ids[i];
  }
  for (const Absence& absence : list.absences) json["absences"].push_back(to_json(absence));
  return json;
}

Json to_json(const Heap& heap) {
  return {{"name", heap.name},
          {"total", heap.total},
          {"available", heap.available ? Json(*heap.available) : Json(nullptr)},
          {"used", heap.used},
          {"source", heap.source}};
}

Json to_json(const ProgramPack& pack) {
  Json json{{"name", pack.name()}, {"variants", Json::array()}};
  for (const VariantInfo& variant : pack.variants()) json["variants"].push_back(describe(variant));
  return json;
}

std::string declaration(const Parameter& parameter) {
  return fmt::format("{}: {}", parameter.name, base::type_text(parameter));
}

std::string text_of(const Grid& grid) { return fmt::format("{},{},{}", grid.x, grid.y, grid.z); }

std::string text_of_bytes(std::uint64_t bytes) {
  constexpr std::array units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  auto amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < units.size(); ++unit) amount /= 1024;
  return fmt::format("{:.4g} {}", amount, units[unit]);
}

}  // namespace pintle::cli
