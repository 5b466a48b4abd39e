#include "pintle/convert.h"

#include <fmt/format.h>

#include <cstring>
#include <functional>

#include "base/bytes.h"
#include "base/contain.h"
#include "base/convert_lanes.h"
#include "base/convert_scalar.h"
#include "base/float_environment.h"

namespace pintle {
namespace {

Error refusal(std::string message) { return {Errc::invalid_argument, std::move(message)}; }

Result<void> check_dtype(DType dtype, std::string_view role) {
  const auto number = static_cast<unsigned>(dtype);
  if (number >= static_cast<unsigned>(DType::boolean) && number <= static_cast<unsigned>(DType::complex64)) return {};
  return refusal(fmt::format("The dtype ({}) that a conversion has {} is none of: {}.", number, role, dtype_names()));
}

template <class Rule>
Result<void> check_rule(Rule rule, Rule last, std::string_view what) {
  const auto number = static_cast<unsigned>(rule);
  if (number >= 1 && number <= static_cast<unsigned>(last)) return {};
  return refusal(
      fmt::format("The {} rule ({}) of a conversion is none of 1 to {}.", what, number, static_cast<unsigned>(last)));
}

Result<void> check(const Convert& how) {
  PINTLE_TRY(check_dtype(how.from, "as its source"));
  PINTLE_TRY(check_dtype(how.to, "as its target"));
  PINTLE_TRY(check_rule(how.rounding, Rounding::stochastic, "rounding"));
  PINTLE_TRY(check_rule(how.overflow, Overflow::error, "overflow"));
  PINTLE_TRY(check_rule(how.nan, NanRule::payload, "NaN"));
  if (how.from != DType::complex64 || how.to == DType::complex64) return {};
  return refusal(
      fmt::format("Converting complex64 to {} would drop the imaginary part of each element.", name(how.to)));
}

Result<std::uint64_t> whole_elements(std::uint64_t bytes, DType dtype, std::string_view role) {
  if (bytes % bytes_of(dtype) == 0) return bytes / bytes_of(dtype);
  return refusal(fmt::format("Size ({}) of the bytes to {} is no multiple of the size ({}) of {}.", bytes, role,
                             bytes_of(dtype), name(dtype)));
}

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) noexcept {
  const std::less<> before;
  return !a.empty() && !b.empty() && before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

Result<void> check(std::span<const std::byte> to, std::span<const std::byte> from, const Convert& how) {
  PINTLE_TRY(check(how));
  PINTLE_ASSIGN(read, whole_elements(from.size(), how.from, "read"));
  PINTLE_ASSIGN(written, whole_elements(to.size(), how.to, "write"));
  if (read != written) {
    return refusal(fmt::format("Count ({}) of elements of {} to write is not the count ({}) of elements of {} to read.",
                               written, name(how.to), read, name(how.from)));
  }
  if (overlap(to, from)) return refusal("The memory that a conversion writes overlaps the memory that it reads.");
  return {};
}

Error beyond(std::span<const std::byte> from, std::size_t element, std::size_t number, const Convert& how) {
  return refusal(fmt::format("Element ({}) of {} is {}, which is not within the range of {} ({}).", number,
                             name(how.from), base::element_text(from, element, how.from), name(how.to),
                             base::limits_text(how.to)));
}

bool is_copy(const Convert& how) noexcept {
  return how.from == how.to && how.from >= DType::i8 && how.from <= DType::u64;
}

/// Each part of a complex number is converted like any other number.
Convert of_parts(const Convert& how) noexcept {
  Convert parts = how;
  parts.from = parts.to = DType::f32;
  return parts;
}

Result<void> convert_checked(std::span<std::byte> to, std::span<const std::byte> from, const Convert& how) {
  const base::FloatEnvironment held;
  const std::size_t per_element = how.from == DType::complex64 ? 2 : 1;
  const Convert parts = per_element == 2 ? of_parts(how) : how;
  const bool in_lanes = base::has_lanes(parts);
  if (parts.overflow == Overflow::error && (!in_lanes || !base::lanes_fit(from, parts))) {
    const auto refused = base::convert_scalar({}, from, parts, base::Writing::only_checks);
    if (refused) return beyond(from, *refused, *refused / per_element, parts);
  }
  if (in_lanes) base::convert_lanes(to, from, parts);
  else (void)base::convert_scalar(to, from, parts, base::Writing::writes);
  return {};
}

}  // namespace

Result<std::uint64_t> converted_bytes(std::uint64_t from_bytes, const Convert& how) {
  return base::contain("sizing a conversion", [&]() -> Result<std::uint64_t> {
    PINTLE_TRY(check(how));
    PINTLE_ASSIGN(count, whole_elements(from_bytes, how.from, "read"));
    if (const auto bytes = base::checked_mul(count, bytes_of(how.to))) return *bytes;
    return refusal(
        fmt::format("Count ({}) of elements of {} takes more bytes than 64 bits count.", count, name(how.to)));
  });
}

Result<void> convert(std::span<std::byte> to, std::span<const std::byte> from, const Convert& how) {
  return base::contain("converting elements", [&]() -> Result<void> {
    PINTLE_TRY(check(to, from, how));
    if (from.empty()) return {};
    if (!is_copy(how)) return convert_checked(to, from, how);
    std::memcpy(to.data(), from.data(), from.size());
    return {};
  });
}

}  // namespace pintle
