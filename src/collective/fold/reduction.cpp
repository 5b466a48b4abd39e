#include "collective/fold/reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "base/contain.h"
#include "collective/fold/reduction_lanes.h"
#include "pintle/convert.h"

namespace pintle::collective {
namespace {

/// A block that stays in the first cache until it is divided or rounded.
constexpr std::size_t block_bytes = 8192;
constexpr std::size_t block_floats = 1024;

bool is_floating(DType dtype) noexcept { return dtype >= DType::f16 && dtype <= DType::complex64; }
bool is_narrow(DType dtype) noexcept {
  return is_floating(dtype) && dtype != DType::f32 && dtype != DType::f64 && dtype != DType::complex64;
}
bool is_arithmetic(ReduceOp op) noexcept { return op == ReduceOp::sum || op == ReduceOp::prod || op == ReduceOp::mean; }
bool is_bitwise(ReduceOp op) noexcept { return op >= ReduceOp::bit_and && op <= ReduceOp::bit_xor; }
bool is_logical(ReduceOp op) noexcept { return op >= ReduceOp::logical_and && op <= ReduceOp::logical_xor; }

/// Empty for a pair that has a meaning.
std::string_view why_refused(ReduceOp op, DType dtype) noexcept {
  if (is_bitwise(op) && is_floating(dtype)) return "bits are combined of integers and bool only";
  if (op == ReduceOp::mean && dtype == DType::boolean) return "a part of a truth is no truth";
  if (dtype != DType::complex64 || is_arithmetic(op)) return {};
  return is_logical(op) ? "logical operators take real numbers only" : "complex numbers have no order";
}

Result<void> check_known(ReduceOp op, DType dtype) {
  if (op < ReduceOp::sum || op > ReduceOp::logical_xor) {
    return Error(Errc::invalid_argument,
                 fmt::format("The operator ({}) of a reduction is none of 1 to {}.", static_cast<unsigned>(op),
                             static_cast<unsigned>(ReduceOp::logical_xor)));
  }
  if (is_dtype(dtype)) return {};
  return Error(Errc::invalid_argument, fmt::format("The dtype ({}) of a reduction is none of: {}.",
                                                   static_cast<unsigned>(dtype), dtype_names()));
}

/// The arguments of a fold. Its divisor is 1 where nothing is divided.
struct Fold {
  ReduceOp op;
  DType dtype;
  std::byte* to;
  std::span<const std::byte* const> sources;
  std::uint32_t divisor;

  [[nodiscard]] Sources every_source() const noexcept { return {sources.data(), sources.size()}; }
};

/// A fold of one source, with nothing to divide.
void fold_one(const Fold& fold, std::size_t bytes) noexcept {
  const std::byte* source = fold.sources[0];
  if (is_logical(fold.op) || fold.dtype == DType::boolean) {
    const std::array<const std::byte*, 2> twice{source, source};
    combine_of(ReduceOp::logical_or, fold.dtype)(fold.to, {twice.data(), twice.size()}, 0, bytes);
  } else if (fold.to != source) {
    std::memcpy(fold.to, source, bytes);
  }
}

void fold_and_divide(const Fold& fold, std::size_t bytes) noexcept {
  const Combine combine = combine_of(fold.op, fold.dtype);
  const Divide divide = divide_of(fold.dtype);
  for (std::size_t begin = 0; begin < bytes; begin += block_bytes) {
    const std::size_t end = std::min(bytes, begin + block_bytes);
    combine(fold.to, fold.every_source(), begin, end);
    divide(fold.to + begin, end - begin, fold.divisor);
  }
}

using Floats = std::array<float, block_floats>;

/// Neither `widen` nor `narrow` fails: the sizes fit, the stack overlaps nothing, and no value is beyond the range of a
/// floating dtype.
void widen(Floats& to, std::span<const std::byte> from, DType dtype) noexcept {
  const std::size_t count = from.size() / bytes_of(dtype);
  (void)convert(std::as_writable_bytes(std::span(to).first(count)), from, {dtype, DType::f32});
}
void narrow(std::span<std::byte> to, const Floats& from, DType dtype) noexcept {
  const std::size_t count = to.size() / bytes_of(dtype);
  (void)convert(to, std::as_bytes(std::span(from).first(count)), {DType::f32, dtype});
}

/// Every source is read before anything is written.
void fold_narrow_block(const Fold& fold, std::size_t begin, std::size_t bytes) noexcept {
  Floats folded, next;
  auto* const to = std::as_writable_bytes(std::span(folded)).data();
  const std::array<const std::byte*, 2> both{to, std::as_bytes(std::span(next)).data()};
  const std::size_t wide_bytes = bytes / bytes_of(fold.dtype) * sizeof(float);
  const Combine combine = combine_of(fold.op, DType::f32);
  widen(folded, {fold.sources[0] + begin, bytes}, fold.dtype);
  for (const std::byte* source : fold.sources.subspan(1)) {
    widen(next, {source + begin, bytes}, fold.dtype);
    combine(to, {both.data(), both.size()}, 0, wide_bytes);
  }
  if (fold.divisor > 1) divide_of(DType::f32)(to, wide_bytes, fold.divisor);
  narrow({fold.to + begin, bytes}, folded, fold.dtype);
}

void fold_narrow(const Fold& fold, std::size_t bytes) noexcept {
  const std::size_t most = block_floats * bytes_of(fold.dtype);
  for (std::size_t begin = 0; begin < bytes; begin += most) {
    fold_narrow_block(fold, begin, std::min(most, bytes - begin));
  }
}

}  // namespace

Result<void> check_reduction(ReduceOp op, DType dtype) {
  return base::contain("checking a reduction", [&]() -> Result<void> {
    PINTLE_TRY(check_known(op, dtype));
    const std::string_view reason = why_refused(op, dtype);
    if (reason.empty()) return {};
    return Error(Errc::invalid_argument, fmt::format("The operator ({}) has no meaning for elements of {}: {}.",
                                                     pintle::name(op), pintle::name(dtype), reason));
  });
}

bool depends_on_order(ReduceOp op, DType dtype) noexcept { return is_arithmetic(op) && is_floating(dtype); }

bool needs_accumulator(ReduceOp op, DType dtype) noexcept { return is_arithmetic(op) && is_narrow(dtype); }

void fold(ReduceOp op, DType dtype, std::byte* to, std::span<const std::byte* const> sources, std::size_t count,
          std::uint32_t divisor) noexcept {
  if (sources.empty() || count == 0) return;
  const Fold fold{op, dtype, to, sources, op == ReduceOp::mean ? std::max(divisor, 1u) : 1};
  const std::size_t bytes = count * bytes_of(dtype);
  if (sources.size() == 1 && fold.divisor == 1) fold_one(fold, bytes);
  else if (needs_accumulator(op, dtype)) fold_narrow(fold, bytes);
  else if (fold.divisor > 1) fold_and_divide(fold, bytes);
  else combine_of(op, dtype)(to, fold.every_source(), 0, bytes);
}

}  // namespace pintle::collective
