#include "cli/collective_check.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pintle::cli {
namespace {

bool is_floating(DType dtype) {
  switch (dtype) {
    case DType::f16:
    case DType::bf16:
    case DType::f32:
    case DType::f64:
    case DType::f8_e4m3fn:
    case DType::f8_e5m2:
    case DType::complex64: return true;
    default: return false;
  }
}

bool is_signed(DType dtype) { return dtype >= DType::i8 && dtype <= DType::i64; }

struct FloatForm {
  unsigned fraction_bits;
  std::uint64_t bias;
};

FloatForm form_of(DType dtype) {
  switch (dtype) {
    case DType::f8_e4m3fn: return {3, 7};
    case DType::f8_e5m2: return {2, 15};
    case DType::f16: return {10, 15};
    case DType::bf16: return {7, 127};
    case DType::f64: return {52, 1023};
    default: return {23, 127};
  }
}

/// The bits of a whole number that the form holds exactly and that is not negative.
std::uint64_t float_bits(FloatForm form, std::uint64_t value) {
  if (value == 0) return 0;
  const auto exponent = static_cast<unsigned>(std::bit_width(value)) - 1;
  const std::uint64_t below_one = value ^ (std::uint64_t{1} << exponent);
  const std::uint64_t fraction = exponent <= form.fraction_bits ? below_one << (form.fraction_bits - exponent)
                                                                : below_one >> (exponent - form.fraction_bits);
  return ((form.bias + exponent) << form.fraction_bits) | fraction;
}

/// What a rank gives where none of its voices speaks: a value that changes nothing in the fold.
std::int64_t silence(ReduceOp op) {
  switch (op) {
    case ReduceOp::prod:
    case ReduceOp::logical_and: return 1;
    case ReduceOp::min:
    case ReduceOp::bit_and: return 7;
    default: return 0;
  }
}

std::int64_t spoken(ReduceOp op, std::size_t voice, std::uint64_t noise) {
  switch (op) {
    case ReduceOp::sum:
    case ReduceOp::logical_or:
    case ReduceOp::logical_xor: return static_cast<std::int64_t>(noise % 3);
    case ReduceOp::prod: return voice < 3 ? 1 + static_cast<std::int64_t>(noise % 2) : 1;  // 8 at most together
    case ReduceOp::logical_and: return static_cast<std::int64_t>(noise % 4);
    case ReduceOp::mean:
      return voice == 0 ? 1 : voice == 1 ? -1 : 0;  // around the value that all ranks have: the sum divides
    default: return static_cast<std::int64_t>(noise % 8);
  }
}

std::int64_t joined(ReduceOp op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case ReduceOp::prod: return a * b;
    case ReduceOp::min: return std::min(a, b);
    case ReduceOp::max: return std::max(a, b);
    case ReduceOp::bit_and: return a & b;
    case ReduceOp::bit_or: return a | b;
    case ReduceOp::bit_xor: return a ^ b;
    case ReduceOp::logical_and: return a != 0 && b != 0 ? 1 : 0;
    case ReduceOp::logical_or: return a != 0 || b != 0 ? 1 : 0;
    case ReduceOp::logical_xor: return (a != 0) != (b != 0) ? 1 : 0;
    default: return a + b;
  }
}

bool is_logical(ReduceOp op) { return op >= ReduceOp::logical_and && op <= ReduceOp::logical_xor; }

}  // namespace

bool has_meaning(ReduceOp op, DType dtype) noexcept {
  if (op >= ReduceOp::bit_and && op <= ReduceOp::bit_xor) return !is_floating(dtype);
  if (op == ReduceOp::mean) return dtype != DType::boolean;
  return dtype != DType::complex64 || op == ReduceOp::sum || op == ReduceOp::prod;
}

/// The ranks that speak in an element's fold, and what they say.
struct CheckValues::Element {
  std::int64_t silence;
  std::array<std::uint32_t, voices> ranks;
  std::array<std::int64_t, voices> values;
};

std::uint64_t CheckValues::noise(std::size_t index, std::uint64_t salt) const noexcept {
  std::uint64_t x = (seed_ << 40) + (salt << 20) + index;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x >> 33;
}

CheckValues::Element CheckValues::element(ReduceOp op, std::size_t index) const noexcept {
  Element result{op == ReduceOp::mean ? 2 + static_cast<std::int64_t>(noise(index, voices) % 3) : silence(op), {}, {}};
  const std::uint32_t step = std::max(1u, ranks_ / static_cast<std::uint32_t>(voices));
  for (std::size_t voice = 0; voice < voices; ++voice) {
    result.ranks[voice] = static_cast<std::uint32_t>((index + voice * step) % ranks_);
    result.values[voice] = spoken(op, voice, noise(index, voice));
  }
  return result;
}

std::int64_t CheckValues::value(ReduceOp op, const Element& element, std::uint32_t rank) const noexcept {
  std::int64_t result = element.silence;
  for (std::size_t voice = 0; voice < voices; ++voice) {
    if (element.ranks[voice] == rank) result = joined(op, result, element.values[voice]);
  }
  return dtype_ == DType::boolean ? result & 1 : result;
}

std::int64_t CheckValues::mean(std::int64_t sum) const noexcept {
  if (is_floating(dtype_)) return sum / ranks_;
  const auto unused = static_cast<int>(64 - 8 * bytes_of(dtype_));
  const auto high = static_cast<std::uint64_t>(sum) << unused;  // wraps as the dtype does
  if (is_signed(dtype_)) return (static_cast<std::int64_t>(high) >> unused) / static_cast<std::int64_t>(ranks_);
  return static_cast<std::int64_t>((high >> unused) / ranks_);
}

std::int64_t CheckValues::folded(ReduceOp op, const Element& element) const noexcept {
  std::int64_t result = value(op, element, 0);
  if (is_logical(op)) result = result != 0 ? 1 : 0;
  for (std::uint32_t rank = 1; rank < ranks_; ++rank) result = joined(op, result, value(op, element, rank));
  if (dtype_ == DType::boolean) return result != 0 ? 1 : 0;
  return op == ReduceOp::mean ? mean(result) : result;
}

void CheckValues::append(std::vector<std::byte>& bytes, std::int64_t real, std::int64_t imaginary) const {
  const bool is_complex = dtype_ == DType::complex64;
  const std::size_t size = bytes_of(dtype_) / (is_complex ? 2 : 1);
  for (const std::int64_t part : {real, imaginary}) {
    const auto whole = static_cast<std::uint64_t>(part);
    const std::uint64_t bits = is_floating(dtype_) ? float_bits(form_of(dtype_), whole) : whole;
    for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(bits >> (8 * i)));
    if (!is_complex) return;
  }
}

std::vector<std::byte> CheckValues::sent(std::uint32_t rank) const {
  std::vector<std::byte> bytes;
  const std::uint64_t most = dtype_ == DType::boolean ? 2 : 8;
  for (std::size_t index = 0; index < period; ++index) {
    const std::uint64_t salt = 2 * (std::uint64_t{rank} + voices);
    append(bytes, static_cast<std::int64_t>(noise(index, salt) % most),
           static_cast<std::int64_t>(noise(index, salt + 1) % most));
  }
  return bytes;
}

/// The imaginary part of an element is the next element's real part. In a product all elements are real, so the numbers
/// stay exact.
template <class ValueAt>
std::vector<std::byte> CheckValues::reduction_period(ReduceOp op, ValueAt value_at) const {
  std::vector<std::byte> bytes;
  for (std::size_t index = 0; index < period; ++index) {
    const bool has_imaginary = dtype_ == DType::complex64 && op != ReduceOp::prod;
    append(bytes, value_at(element(op, index)), has_imaginary ? value_at(element(op, index + 1)) : 0);
  }
  return bytes;
}

std::vector<std::byte> CheckValues::given(ReduceOp op, std::uint32_t rank) const {
  return reduction_period(op, [&](const Element& element) { return value(op, element, rank); });
}

std::vector<std::byte> CheckValues::folded(ReduceOp op) const {
  return reduction_period(op, [&](const Element& element) { return folded(op, element); });
}

namespace {

/// Calls `piece(to, from)` with stretches of `bytes` and what the period has there.
template <class Bytes, class Piece>
void for_each_piece(Bytes bytes, std::span<const std::byte> period, std::uint64_t first, Piece piece) {
  const std::size_t element = period.size() / CheckValues::period;
  std::size_t from = static_cast<std::size_t>(first % CheckValues::period) * element;
  while (!bytes.empty()) {
    const std::size_t size = std::min(bytes.size(), period.size() - from);
    piece(bytes.first(size), period.subspan(from, size), element);
    bytes = bytes.subspan(size);
    from = 0;
  }
}

}  // namespace

void lay_period(std::span<std::byte> to, std::span<const std::byte> period, std::uint64_t first) {
  for_each_piece(to, period, first, [](std::span<std::byte> piece, std::span<const std::byte> from, std::size_t) {
    std::memcpy(piece.data(), from.data(), from.size());
  });
}

std::uint64_t count_wrong(std::span<const std::byte> got, std::span<const std::byte> period, std::uint64_t first) {
  std::uint64_t wrong = 0;
  for_each_piece(got, period, first,
                 [&](std::span<const std::byte> piece, std::span<const std::byte> expected, std::size_t element) {
                   if (std::memcmp(piece.data(), expected.data(), piece.size()) == 0) return;
                   for (std::size_t at = 0; at < piece.size(); at += element) {
                     if (std::memcmp(piece.data() + at, expected.data() + at, element) != 0) ++wrong;
                   }
                 });
  return wrong;
}

}  // namespace pintle::cli
