#include "spirv/image_type.h"

#include <fmt/format.h>

namespace pintle::spirv {
namespace {

base::Number::Kind kind_of(Texel texel) noexcept {
  using enum base::Number::Kind;
  if (!is_integer(texel)) return floating;
  const Channel channel = channel_of(texel);
  return channel == Channel::i8 || channel == Channel::i16 || channel == Channel::i32 ? signed_integer
                                                                                      : unsigned_integer;
}

}  // namespace

std::string shape_text(const ImageType& type) {
  return type.dimensions == 1 ? "texel_buffer" : fmt::format("image{}d", type.dimensions);
}

std::string text_of(const ImageType& type) {
  if (type.texel) return fmt::format("{} {}", shape_text(type), name(*type.texel));
  return fmt::format("{} of {}", shape_text(type), base::text_of(type.number));
}

bool may_be(const ImageType& type, Texel texel) noexcept {
  return type.texel ? *type.texel == texel : type.number.kind == kind_of(texel);
}

}  // namespace pintle::spirv
