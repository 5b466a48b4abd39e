#include "io/safetensors_dtype.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/quote.h"

namespace pintle::io {
namespace {

struct Row {
  std::string_view name;
  DType dtype;
};

// Sorted as the format's own library writes tensors, so that both libraries write the same bytes.
constexpr std::array<Row, 16> rows{{
    {"U64", DType::u64},
    {"I64", DType::i64},
    {"F64", DType::f64},
    {"C64", DType::complex64},
    {"F32", DType::f32},
    {"U32", DType::u32},
    {"I32", DType::i32},
    {"BF16", DType::bf16},
    {"F16", DType::f16},
    {"U16", DType::u16},
    {"I16", DType::i16},
    {"F8_E4M3", DType::f8_e4m3fn},
    {"F8_E5M2", DType::f8_e5m2},
    {"I8", DType::i8},
    {"U8", DType::u8},
    {"BOOL", DType::boolean},
}};

struct Foreign {
  std::string_view name;
  unsigned bits;
};

constexpr std::array<Foreign, 6> only_theirs{
    {{"F4", 4}, {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}}};

std::string names() {
  std::string all;
  for (const Row& row : rows) all += fmt::format("{}{}", all.empty() ? "" : ", ", row.name);
  return all;
}

}  // namespace

Result<DType> parse_safetensors_dtype(std::string_view name) {
  const auto row = std::ranges::find(rows, name, &Row::name);
  if (row != rows.end()) return row->dtype;
  if (foreign_bits(name) != 0) {
    return Error(Errc::unsupported,
                 fmt::format("DType {} of safetensors has no counterpart in Pintle, which reads {}.", name, names()));
  }
  return Error(Errc::invalid_argument,
               fmt::format("DType {} is no name of safetensors; Pintle reads {}.", base::quote(name), names()));
}

unsigned foreign_bits(std::string_view name) noexcept {
  const auto row = std::ranges::find(only_theirs, name, &Foreign::name);
  return row == only_theirs.end() ? 0 : row->bits;
}

std::string_view safetensors_name(DType dtype) noexcept {
  const auto row = std::ranges::find(rows, dtype, &Row::dtype);
  return row == rows.end() ? std::string_view() : row->name;
}

std::size_t safetensors_rank(DType dtype) noexcept {
  return static_cast<std::size_t>(std::ranges::find(rows, dtype, &Row::dtype) - rows.begin());
}

}  // namespace pintle::io
