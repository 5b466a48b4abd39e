#include "spirv/image_tables.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace pintle::spirv {
namespace {

/// Formats by their number, with the names of GLSL.
constexpr std::array<std::string_view, 42> formats{"",          "rgba32f",      "rgba16f",
                                                   "r32f",      "rgba8",        "rgba8_snorm",
                                                   "rg32f",     "rg16f",        "r11f_g11f_b10f",
                                                   "r16f",      "rgba16",       "rgb10_a2",
                                                   "rg16",      "rg8",          "r16",
                                                   "r8",        "rgba16_snorm", "rg16_snorm",
                                                   "rg8_snorm", "r16_snorm",    "r8_snorm",
                                                   "rgba32i",   "rgba16i",      "rgba8i",
                                                   "r32i",      "rg32i",        "rg16i",
                                                   "rg8i",      "r16i",         "r8i",
                                                   "rgba32ui",  "rgba16ui",     "rgba8ui",
                                                   "r32ui",     "rgb10_a2ui",   "rg32ui",
                                                   "rg16ui",    "rg8ui",        "r16ui",
                                                   "r8ui",      "r64ui",        "r64i"};

constexpr std::uint32_t dim_buffer = 5;

/// What no signature can declare; empty for an image of two or three dimensions and for a texel buffer.
std::string_view refused_by_shape(const Definition& image) {
  constexpr std::array<std::string_view, 7> words{
      "of one dimension", "", "", "that is a cube", "that is a rectangle", "", "that is a part of a frame"};
  constexpr std::uint32_t compares = 1;
  if (image.parts[0] >= words.size()) return "of a shape that is not known";
  if (!words[image.parts[0]].empty()) return words[image.parts[0]];
  if (image.parts[2] != 0) return "with layers";
  if (image.parts[3] != 0) return "with several samples for a texel";
  return image.parts[1] == compares ? "whose depths are compared" : "";
}

base::Number number_of(const Tables& tables, std::uint32_t type) {
  const Definition* const number = tables.find(type);
  if (number == nullptr || number->op == op::type_float) return {base::Number::Kind::floating, 4};
  return {number->is_signed ? base::Number::Kind::signed_integer : base::Number::Kind::unsigned_integer, 4};
}

}  // namespace

ImageType image_type_of(const Tables& tables, std::uint32_t type) {
  const Definition* const image = tables.find(type);
  if (image == nullptr || image->op != op::type_image) return {.refused = "of no type"};
  const std::string_view shape = refused_by_shape(*image);
  if (!shape.empty()) return {.refused = std::string(shape)};
  const std::uint32_t format = image->parts[4];
  const std::uint32_t dimensions = image->parts[0] == dim_buffer ? 1 : image->parts[0] + 1;
  ImageType made{.dimensions = static_cast<std::uint8_t>(dimensions), .number = number_of(tables, image->type)};
  if (format == 0) return made;
  if (format < formats.size()) made.texel = parse_texel(formats[format]);
  if (made.texel) return made;
  const std::string_view where = dimensions == 1 ? "in a buffer " : "";
  return {.refused = format < formats.size() ? fmt::format("{}of the format {}", where, formats[format])
                                             : fmt::format("{}of the format ({})", where, format)};
}

}  // namespace pintle::spirv
