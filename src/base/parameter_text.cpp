// The type of a parameter, as a signature has it.
#include <fmt/format.h>

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

}  // namespace

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
  return fmt::format("{} {}[{}]{}", name(parameter.access), text_of(parameter.dtype, parameter.lanes), sides, end);
}

}  // namespace pintle::base
