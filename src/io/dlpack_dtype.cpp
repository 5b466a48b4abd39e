#include "io/dlpack_dtype.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace pintle::io {
namespace {

using namespace vendor::dlpack;

struct Row {
  DType dtype;
  std::uint8_t code;
  std::uint8_t bits;
};

constexpr std::array<Row, 16> rows{{
    {DType::boolean, code_bool, 8},
    {DType::i8, code_int, 8},
    {DType::i16, code_int, 16},
    {DType::i32, code_int, 32},
    {DType::i64, code_int, 64},
    {DType::u8, code_uint, 8},
    {DType::u16, code_uint, 16},
    {DType::u32, code_uint, 32},
    {DType::u64, code_uint, 64},
    {DType::f16, code_float, 16},
    {DType::bf16, code_bfloat, 16},
    {DType::f32, code_float, 32},
    {DType::f64, code_float, 64},
    {DType::f8_e4m3fn, code_float8_e4m3fn, 8},
    {DType::f8_e5m2, code_float8_e5m2, 8},
    {DType::complex64, code_complex, 64},
}};

constexpr std::array<std::string_view, 18> code_names{"int",
                                                      "uint",
                                                      "float",
                                                      "opaque_handle",
                                                      "bfloat",
                                                      "complex",
                                                      "bool",
                                                      "float8_e3m4",
                                                      "float8_e4m3",
                                                      "float8_e4m3b11fnuz",
                                                      "float8_e4m3fn",
                                                      "float8_e4m3fnuz",
                                                      "float8_e5m2",
                                                      "float8_e5m2fnuz",
                                                      "float8_e8m0fnu",
                                                      "float6_e2m3fn",
                                                      "float6_e3m2fn",
                                                      "float4_e2m1fn"};

}  // namespace

Result<DType> dtype_of_dlpack(DLDataType type) {
  const std::string_view name = type.code < code_names.size() ? code_names[type.code] : "unknown";
  if (type.lanes != 1) {
    return Error(Errc::unsupported,
                 fmt::format("DLPack tensor has {} lanes of {} (code {}, {} bits) in an element where "
                             "1 is expected.",
                             type.lanes, name, type.code, type.bits));
  }
  const auto row =
      std::ranges::find_if(rows, [&](const Row& each) { return each.code == type.code && each.bits == type.bits; });
  if (row != rows.end()) return row->dtype;
  return Error(Errc::unsupported,
               fmt::format("DLPack tensor has elements of {} (code {}, {} bits), for which Pintle has no dtype.", name,
                           type.code, type.bits));
}

Result<DLDataType> dlpack_type_of(DType dtype) {
  const auto row = std::ranges::find(rows, dtype, &Row::dtype);
  if (row != rows.end()) return DLDataType{row->code, row->bits, 1};
  return Error(Errc::invalid_argument, fmt::format("DType ({}) of a tensor is unknown.", static_cast<unsigned>(dtype)));
}

}  // namespace pintle::io
