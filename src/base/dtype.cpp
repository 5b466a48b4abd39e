#include "pintle/dtype.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/contain.h"

namespace pintle {
namespace {

struct Row {
  DType dtype;
  std::uint64_t bytes;
  std::string_view name;
};

constexpr std::array<Row, 16> rows{{
    {DType::boolean, 1, "bool"},
    {DType::i8, 1, "i8"},
    {DType::i16, 2, "i16"},
    {DType::i32, 4, "i32"},
    {DType::i64, 8, "i64"},
    {DType::u8, 1, "u8"},
    {DType::u16, 2, "u16"},
    {DType::u32, 4, "u32"},
    {DType::u64, 8, "u64"},
    {DType::f16, 2, "f16"},
    {DType::bf16, 2, "bf16"},
    {DType::f32, 4, "f32"},
    {DType::f64, 8, "f64"},
    {DType::f8_e4m3fn, 1, "f8_e4m3fn"},
    {DType::f8_e5m2, 1, "f8_e5m2"},
    {DType::complex64, 8, "complex64"},
}};

const Row* find(DType dtype) noexcept { return is_dtype(dtype) ? &rows[static_cast<std::size_t>(dtype) - 1] : nullptr; }

static_assert(std::ranges::all_of(rows, [](const Row& row) {
  return rows[static_cast<std::size_t>(row.dtype) - 1].dtype == row.dtype;
}));

}  // namespace

// A number outside the enumeration can only come from a cast; one byte keeps divisions by it safe.
std::uint64_t bytes_of(DType dtype) noexcept {
  const Row* row = find(dtype);
  return row == nullptr ? 1 : row->bytes;
}

std::string_view name(DType dtype) noexcept {
  const Row* row = find(dtype);
  return row == nullptr ? "unknown" : row->name;
}

std::optional<DType> parse_dtype(std::string_view name) noexcept {
  const auto row = std::ranges::find(rows, name, &Row::name);
  return row == rows.end() ? std::nullopt : std::optional(row->dtype);
}

std::string dtype_names() noexcept {
  return base::contain_or(std::string("bool, i8, ..."), [] {
    std::string names;
    for (const Row& row : rows) {
      if (!names.empty()) names += ", ";
      names += row.name;
    }
    return names;
  });
}

std::optional<std::uint64_t> Shape::count() const noexcept {
  if (!is_valid()) return std::nullopt;
  std::uint64_t count = 1;
  bool is_empty = false, overflows = false;
  for (const std::uint64_t dim : dims()) {
    is_empty |= dim == 0;
    overflows |= __builtin_mul_overflow(count, dim, &count);
  }
  if (is_empty) return 0;  // however large the other dimensions are
  return overflows ? std::nullopt : std::optional(count);
}

std::string Shape::text() const noexcept {
  return base::contain_or(std::string("[...]"), [&] {
    if (!is_valid()) return fmt::format("[{} dimensions]", rank_);
    return fmt::format("[{}]", fmt::join(dims(), ","));
  });
}

std::optional<std::uint64_t> checked_bytes(DType dtype, const Shape& shape) noexcept {
  const auto count = shape.count();
  if (!count) return std::nullopt;
  return base::checked_mul(*count, bytes_of(dtype));
}

}  // namespace pintle
