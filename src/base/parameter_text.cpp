// Entries and the types of their parameters, as a signature has them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/signature.h"

namespace pintle::base {

std::string text_of(DType dtype, std::uint32_t lanes) {
  return lanes == 1 ? std::string(name(dtype)) : fmt::format("{}x{}", name(dtype), lanes);
}

namespace {

/// Each member with its place, which is the same where it is the one that C gives it.
std::string members_text(const std::vector<Member>& members) {
  std::string text;
  for (const Member& member : members) {
    text += fmt::format("{}{}: {} at {}", text.empty() ? "{ " : ", ", member.name, text_of(member.dtype, member.lanes),
                        member.offset);
  }
  return text + " }";
}

std::string image_text(const Parameter& parameter) {
  return fmt::format("{} image{}d{}{}{}", name(parameter.access), parameter.dimensions, parameter.texel ? " " : "",
                     parameter.texel ? name(*parameter.texel) : "", parameter.is_sampled ? " sampled" : "");
}

std::string texels_text(const Parameter& parameter) {
  return fmt::format("{} texel_buffer{}{}", name(parameter.access), parameter.texel ? " " : "",
                     parameter.texel ? name(*parameter.texel) : "");
}

std::string group_of(const Entry& entry) {
  const std::array<std::uint32_t, 3> sizes{entry.group_size.x, entry.group_size.y, entry.group_size.z};
  const auto& constants = entry.group_constants;
  std::size_t count = 3;
  while (count > 1 && sizes[count - 1] == 1 && constants[count - 1].empty()) --count;
  std::string text;
  for (std::size_t index = 0; index < count; ++index) {
    const std::string& constant = constants[index];
    const bool is_first =
        std::ranges::find(constants, constant) - constants.begin() == static_cast<std::ptrdiff_t>(index);
    text += index == 0 ? "" : ",";
    if (constant.empty()) text += fmt::to_string(sizes[index]);
    else text += is_first ? fmt::format("{}={}", constant, sizes[index]) : constant;
  }
  return text;
}

}  // namespace

std::string_view kind_text(Parameter::Kind kind) noexcept {
  switch (kind) {
    case Parameter::Kind::buffer: return "a buffer";
    case Parameter::Kind::scalar: return "a scalar";
    case Parameter::Kind::value: return "a value of several numbers";
    case Parameter::Kind::image: return "an image";
    case Parameter::Kind::sampler: return "a sampler";
    case Parameter::Kind::texel_buffer: return "a texel buffer";
    case Parameter::Kind::local: break;
  }
  return "local memory";
}

std::string type_text(const Parameter& parameter) {
  if (parameter.kind == Parameter::Kind::image) return image_text(parameter);
  if (parameter.kind == Parameter::Kind::texel_buffer) return texels_text(parameter);
  if (parameter.kind == Parameter::Kind::sampler) return "sampler";
  if (parameter.kind == Parameter::Kind::scalar) return std::string(name(parameter.dtype));
  if (parameter.kind == Parameter::Kind::local) return fmt::format("local {}[]", name(parameter.dtype));
  if (!parameter.members.empty()) return members_text(parameter.members);
  if (parameter.kind == Parameter::Kind::value && parameter.lanes != 1)
    return text_of(parameter.dtype, parameter.lanes);
  if (parameter.kind == Parameter::Kind::value)
    return fmt::format("bytes[{}] align {}", parameter.bytes, parameter.alignment);
  std::string sides;
  for (const Side& side : parameter.shape)
    sides += (sides.empty() ? "" : ",") + (side.scalar.empty() ? fmt::to_string(side.size) : side.scalar);
  const std::string end = parameter.alignment == 1 ? "" : fmt::format(" align {}", parameter.alignment);
  return fmt::format("{}{} {}[{}]{}", parameter.is_optional ? "optional " : "", name(parameter.access),
                     text_of(parameter.dtype, parameter.lanes), sides, end);
}

std::string signature_of(const Entry& entry) {
  std::string text = entry.name + "(";
  for (const Parameter& parameter : entry.parameters) {
    if (&parameter != entry.parameters.data()) text += ", ";
    text += fmt::format("{}: {}", parameter.name, type_text(parameter));
  }
  text += ")";
  const bool is_plain = entry.group_size == Grid{} && entry.group_constants == std::array<std::string, 3>{};
  if (!is_plain) text += " group " + group_of(entry);
  if (entry.subgroup_size != 0) text += fmt::format(" subgroup {}", entry.subgroup_size);
  if (entry.local_bytes != 0) text += fmt::format(" local {}", entry.local_bytes);
  return text;
}

}  // namespace pintle::base
