#include "backends/pjrt/tensor.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace pintle::pjrt {
namespace {

using Element = pj::ElementType;

constexpr std::array<std::pair<DType, Element>, 16> elements_by_dtype{{
    {DType::boolean, Element::pred},
    {DType::i8, Element::s8},
    {DType::i16, Element::s16},
    {DType::i32, Element::s32},
    {DType::i64, Element::s64},
    {DType::u8, Element::u8},
    {DType::u16, Element::u16},
    {DType::u32, Element::u32},
    {DType::u64, Element::u64},
    {DType::f16, Element::f16},
    {DType::bf16, Element::bf16},
    {DType::f32, Element::f32},
    {DType::f64, Element::f64},
    {DType::f8_e4m3fn, Element::f8e4m3fn},
    {DType::f8_e5m2, Element::f8e5m2},
    {DType::complex64, Element::c64},
}};

}  // namespace

Element element_of(DType dtype) noexcept {
  for (const auto& [known, element] : elements_by_dtype) {
    if (known == dtype) return element;
  }
  return Element::invalid;
}

/// Each launch asks for the size of its tensors.
std::optional<DType> dtype_of(Element element) noexcept {
  static constexpr auto dtypes_by_element = [] {
    std::array<std::optional<DType>, static_cast<std::size_t>(Element::f8e4m3fn) + 1> all{};
    for (const auto& [dtype, known] : elements_by_dtype) all[static_cast<std::size_t>(known)] = dtype;
    return all;
  }();
  const auto place = static_cast<std::size_t>(element);
  return place < dtypes_by_element.size() ? dtypes_by_element[place] : std::nullopt;
}

std::uint64_t TensorType::elements() const noexcept {
  std::uint64_t count = 1;
  for (const std::int64_t side : sides) count *= static_cast<std::uint64_t>(side);
  return count;
}

/// Zero where Pintle has no such dtype: a program with such a type is refused before.
std::uint64_t TensorType::bytes() const noexcept {
  const auto dtype = dtype_of(element);
  return dtype ? elements() * bytes_of(*dtype) : 0;
}

std::string TensorType::text() const {
  const auto dtype = dtype_of(element);
  std::string all = dtype ? std::string(name(*dtype)) : fmt::format("type {}", static_cast<unsigned>(element));
  all += '[';
  for (std::size_t index = 0; index < sides.size(); ++index)
    all += fmt::format("{}{}", index == 0 ? "" : ",", sides[index]);
  return all + ']';
}

}  // namespace pintle::pjrt
