#include "base/convert_lanes.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/convert_value.h"

// This file is compiled once for each instruction set: foreach_target.h includes it again and again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "base/convert_lanes.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// These headers come behind foreach_target.h.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#ifndef PINTLE_CONVERT_RULES
#define PINTLE_CONVERT_RULES
namespace pintle::base {
namespace {

/// One conversion from f32: the constants of its format and rules. The codes have no sign.
struct Narrowing {
  std::uint32_t rounding_mask;  ///< 0 except for nearest_even: other rules add nothing before bits are dropped.
  std::uint32_t fits;           ///< The largest f32 magnitude that does not overflow, as bits.
  std::uint32_t beyond;         ///< The code for values that overflow.
  std::uint32_t nan;            ///< The code of NaN.
  NanRule nan_rule;
};

/// One conversion to f32.
struct Widening {
  std::uint32_t infinity;
  NanRule nan_rule;
};

constexpr std::uint32_t f32_infinity = 0x7f800000;
constexpr std::uint32_t f32_nan = 0x7fc00000;

}  // namespace
}  // namespace pintle::base
#endif

HWY_BEFORE_NAMESPACE();
namespace pintle::base {
namespace {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::ScalableTag<std::uint32_t>;
using Integers = hn::RebindToSigned<Words>;
using Floats = hn::RebindToFloat<Words>;
using WordLanes = hn::Vec<Words>;
using WordMask = hn::Mask<Words>;
template <class Narrow>
using Lanes = hn::Rebind<Narrow, Words>;

HWY_INLINE WordLanes all(std::uint32_t word) { return hn::Set(Words(), word); }

/// For words below 2^31 only: processors compare signed words faster.
HWY_INLINE WordMask exceeds(WordLanes words, std::uint32_t limit) {
  return hn::RebindMask(Words(), hn::Gt(hn::BitCast(Integers(), words), hn::BitCast(Integers(), all(limit))));
}

/// Rounds magnitudes that are numbers to codes of `format`. Exponents below the least one become the least, and the
/// fraction is shifted by the difference.
template <FloatFormat format>
HWY_INLINE WordLanes codes_of(WordLanes magnitude, const Narrowing& rules) {
  constexpr int dropped = 23 - format.fraction_bits;
  constexpr std::uint32_t least = 127 + format.least_exponent();
  const WordLanes exponent = hn::ShiftRight<23>(magnitude);
  const WordLanes raised = hn::Max(exponent, all(least));
  // A shift of 25 bits leaves nothing of a fraction, and not half of anything either.
  const WordLanes shift = hn::Min(hn::Add(hn::Sub(raised, exponent), all(dropped)), all(25));
  const WordLanes fraction = hn::Or(hn::And(magnitude, all(0x7fffff)), all(0x800000));
  const WordLanes odd = hn::And(hn::Shr(fraction, shift), all(1));
  const WordLanes below_half = hn::Sub(hn::Shl(all(1), hn::Sub(shift, all(1))), all(1));
  const WordLanes added = hn::And(hn::Add(below_half, odd), all(rules.rounding_mask));
  const WordLanes kept = hn::Shr(hn::Add(fraction, added), shift);
  return hn::Add(kept, hn::ShiftLeft<format.fraction_bits>(hn::Sub(raised, all(least))));
}

/// bf16 is the upper half of f32, subnormal numbers included.
template <>
HWY_INLINE WordLanes codes_of<bf16_format>(WordLanes magnitude, const Narrowing& rules) {
  const WordLanes odd = hn::And(hn::ShiftRight<16>(magnitude), all(1));
  const WordLanes added = hn::And(hn::Add(odd, all(0x7fff)), all(rules.rounding_mask));
  return hn::ShiftRight<16>(hn::Add(magnitude, added));
}

template <FloatFormat format>
HWY_INLINE WordLanes nan_codes(WordLanes magnitude, WordLanes sign, const Narrowing& rules) {
  if (rules.nan_rule == NanRule::canonical) return all(rules.nan);
  if (!format.has_infinity) return hn::Or(sign, all(rules.nan));
  const WordLanes fraction = hn::ShiftRight<23 - format.fraction_bits>(hn::And(magnitude, all(0x7fffff)));
  return hn::Or(hn::Or(sign, all(format.first_special())), hn::Max(fraction, all(1)));
}

template <class To>
HWY_INLINE hn::Vec<Lanes<To>> packed(WordLanes codes) {
  return hn::DemoteTo(Lanes<To>(), hn::BitCast(Integers(), codes));
}

template <FloatFormat format>
struct Narrow {
  using From = std::uint32_t;
  using To = std::conditional_t<format.width == 8, std::uint8_t, std::uint16_t>;
  const Narrowing rules;  // By value: behind a reference each store might change it.

  HWY_INLINE hn::Vec<Lanes<To>> operator()(WordLanes bits) const {
    const WordLanes magnitude = hn::And(bits, all(0x7fffffff));
    const WordMask special = exceeds(magnitude, rules.fits);
    if (HWY_UNLIKELY(!hn::AllFalse(Words(), special))) return with_special(bits, rules);
    return packed<To>(hn::Or(codes_of<format>(magnitude, rules), sign_of(bits)));
  }

  static HWY_NOINLINE hn::Vec<Lanes<To>> with_special(WordLanes bits, const Narrowing& rules) {
    const WordLanes magnitude = hn::And(bits, all(0x7fffffff));
    const WordMask special = exceeds(magnitude, rules.fits), nans = exceeds(magnitude, f32_infinity);
    WordLanes codes = hn::IfThenElse(special, all(rules.beyond), codes_of<format>(magnitude, rules));
    codes = hn::Or(codes, sign_of(bits));
    return packed<To>(hn::IfThenElse(nans, nan_codes<format>(magnitude, sign_of(bits), rules), codes));
  }

  static HWY_INLINE WordLanes sign_of(WordLanes bits) {
    return hn::ShiftRight<32 - format.width>(hn::And(bits, all(0x80000000)));
  }
};

/// Narrows to the nearest even, where a format has a cheaper way.
template <FloatFormat format>
struct NarrowToNearest : Narrow<format> {};

/// The sign may stay in place: a value that does not overflow carries nothing into it.
template <>
struct NarrowToNearest<bf16_format> : Narrow<bf16_format> {
  HWY_INLINE hn::Vec<Lanes<std::uint16_t>> operator()(WordLanes bits) const {
    const WordMask special = exceeds(hn::And(bits, all(0x7fffffff)), rules.fits);
    if (HWY_UNLIKELY(!hn::AllFalse(Words(), special))) return with_special(bits, rules);
    const WordLanes odd = hn::And(hn::ShiftRight<16>(bits), all(1));
    return packed<std::uint16_t>(hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, all(0x7fff)))));
  }
};

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
/// F16C rounds alike, whatever the environment's modes are. Only NaNs and values that overflow differ.
template <>
struct NarrowToNearest<f16_format> : Narrow<f16_format> {
  HWY_INLINE hn::Vec<Lanes<std::uint16_t>> operator()(WordLanes bits) const {
    const WordMask special = exceeds(hn::And(bits, all(0x7fffffff)), rules.fits);
    if (HWY_UNLIKELY(!hn::AllFalse(Words(), special))) return with_special(bits, rules);
    const auto halves = hn::DemoteTo(Lanes<hwy::float16_t>(), hn::BitCast(Floats(), bits));
    return hn::BitCast(Lanes<std::uint16_t>(), halves);
  }
};
#endif

template <FloatFormat format>
HWY_INLINE WordLanes special_words(WordLanes magnitude, WordLanes sign, const Widening& rules) {
  const WordLanes infinities = hn::Or(sign, all(rules.infinity));
  WordLanes nans = all(f32_nan);
  if (rules.nan_rule == NanRule::payload) {
    nans = format.has_infinity ? hn::Or(hn::ShiftLeft<23 - format.fraction_bits>(magnitude), all(f32_infinity)) : nans;
    nans = hn::Or(sign, nans);
  }
  if (!format.has_infinity) return nans;
  return hn::IfThenElse(hn::Eq(magnitude, all(format.first_special())), infinities, nans);
}

/// Widens magnitudes that are numbers. A subnormal one is an integer of at most ten bits, so its float is exact.
template <FloatFormat format>
HWY_INLINE WordLanes words_of(WordLanes magnitude) {
  constexpr std::uint32_t rebias = static_cast<std::uint32_t>(127 - format.bias) << 23;
  const WordLanes normal = hn::Add(hn::ShiftLeft<23 - format.fraction_bits>(magnitude), all(rebias));
  const WordLanes unit = all(static_cast<std::uint32_t>(127 + format.least_exponent() - format.fraction_bits) << 23);
  const auto count = hn::ConvertTo(Floats(), hn::BitCast(Integers(), magnitude));
  const WordLanes subnormal = hn::BitCast(Words(), hn::Mul(count, hn::BitCast(Floats(), unit)));
  return hn::IfThenElse(exceeds(magnitude, (1u << format.fraction_bits) - 1), normal, subnormal);
}
template <>
HWY_INLINE WordLanes words_of<bf16_format>(WordLanes magnitude) {
  return hn::ShiftLeft<16>(magnitude);
}

template <FloatFormat format, class Codes>
HWY_INLINE WordLanes numbers_of(Codes, WordLanes magnitude, WordLanes sign) {
  return hn::Or(words_of<format>(magnitude), sign);
}
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
/// F16C is exact, whatever the environment's modes are. Only NaNs differ, and the caller replaces them.
template <>
HWY_INLINE WordLanes numbers_of<f16_format>(hn::Vec<Lanes<std::uint16_t>> codes, WordLanes, WordLanes) {
  return hn::BitCast(Words(), hn::PromoteTo(Floats(), hn::BitCast(Lanes<hwy::float16_t>(), codes)));
}
#endif

template <FloatFormat format>
struct Widen {
  using From = std::conditional_t<format.width == 8, std::uint8_t, std::uint16_t>;
  using To = std::uint32_t;
  const Widening rules;

  HWY_INLINE WordLanes operator()(hn::Vec<Lanes<From>> narrow) const {
    const WordLanes codes = hn::PromoteTo(Words(), narrow);
    const WordLanes magnitude = hn::And(codes, all(format.magnitude_mask()));
    const WordLanes sign = hn::ShiftLeft<32 - format.width>(hn::And(codes, all(format.sign_bit())));
    WordLanes words = numbers_of<format>(narrow, magnitude, sign);
    const WordMask special = exceeds(magnitude, format.largest());
    if (HWY_UNLIKELY(!hn::AllFalse(Words(), special)))
      words = hn::IfThenElse(special, special_words<format>(magnitude, sign, rules), words);
    return words;
  }
};

template <class To>
HWY_INLINE To* typed(std::byte* to) {
  return reinterpret_cast<To*>(to);
}
template <class From>
HWY_INLINE const From* typed(const std::byte* from) {
  return reinterpret_cast<const From*>(from);
}

/// Converts fewer elements than there are lanes, through memory that has room for all lanes.
template <class Kernel>
HWY_NOINLINE void convert_few(std::byte* to, const std::byte* from, std::size_t count, const Kernel& kernel) {
  using From = typename Kernel::From;
  using To = typename Kernel::To;
  HWY_ALIGN std::byte read[hn::MaxLanes(Words()) * sizeof(From)] = {};
  HWY_ALIGN std::byte written[hn::MaxLanes(Words()) * sizeof(To)];
  std::memcpy(read, from, count * sizeof(From));
  hn::StoreU(kernel(hn::LoadU(Lanes<From>(), typed<From>(read))), Lanes<To>(), typed<To>(written));
  std::memcpy(to, written, count * sizeof(To));
}

/// Converts whole vectors; returns the number of elements.
template <class Kernel>
HWY_INLINE std::size_t convert_vectors(std::byte* to, const std::byte* from, std::size_t count, const Kernel& kernel) {
  using From = typename Kernel::From;
  using To = typename Kernel::To;
  const std::size_t lanes = hn::Lanes(Words());
  std::size_t done = 0;
  for (; done + lanes <= count; done += lanes) {
    const auto read = hn::LoadU(Lanes<From>(), typed<From>(from + done * sizeof(From)));
    hn::StoreU(kernel(read), Lanes<To>(), typed<To>(to + done * sizeof(To)));
  }
  return done;
}

/// Converts whole blocks; returns the number of elements. `to` begins at a cache line. One block is converted in the
/// nearest cache and then written past all caches. Meanwhile the next block is fetched, a line of each of its pages in
/// turn: fetching one page alone is slower.
template <class Kernel>
HWY_ATTR std::size_t stream_blocks(std::byte* to, const std::byte* from, std::size_t count, const Kernel& kernel) {
  constexpr std::size_t from_size = sizeof(typename Kernel::From), to_size = sizeof(typename Kernel::To);
  constexpr std::size_t line = 64, page = 4096;
  constexpr std::size_t block = from_size > to_size ? 4 * page / from_size : 2 * page / to_size;
  constexpr std::size_t group = std::max(line / from_size, hn::MaxLanes(Words()));
  constexpr std::size_t pages = std::max<std::size_t>(block * from_size / page, 1);
  const hn::ScalableTag<std::uint8_t> tag;
  HWY_ALIGN std::byte converted[block * to_size];
  std::size_t done = 0;
  for (; done + block <= count; done += block) {
    const std::byte* const read = from + done * from_size;
    const std::byte* const next = read + (done + 2 * block <= count ? block * from_size : 0);
    for (std::size_t i = 0; i < block; i += group) {
      for (std::size_t n = i * from_size / line; n < (i + group) * from_size / line; ++n)
        hwy::Prefetch(next + n % pages * page + n / pages * line);
      convert_vectors(converted + i * to_size, read + i * from_size, group, kernel);
    }
    for (std::size_t at = 0; at < sizeof converted; at += hn::Lanes(tag))
      hn::Stream(hn::Load(tag, typed<std::uint8_t>(converted + at)), tag,
                 typed<std::uint8_t>(to + done * to_size + at));
  }
  hwy::FlushStream();
  return done;
}

/// Larger targets are written past the caches: a line that is only written need not be read first.
constexpr std::size_t least_streamed = std::size_t{4} << 20;

template <class Kernel>
HWY_ATTR void convert_all(std::byte* to, const std::byte* from, std::size_t count, const Kernel& kernel) {
  constexpr std::size_t line = 64, from_size = sizeof(typename Kernel::From), to_size = sizeof(typename Kernel::To);
  const std::size_t off_line = reinterpret_cast<std::uintptr_t>(to) % line;
  std::size_t done = 0;
  if (count * to_size >= least_streamed && off_line % to_size == 0) {
    const std::size_t lanes = hn::Lanes(Words());
    for (std::size_t head = (line - off_line) % line / to_size; done < head;) {
      const std::size_t few = std::min(lanes, head - done);
      convert_few(to + done * to_size, from + done * from_size, few, kernel);
      done += few;
    }
    done += stream_blocks(to + done * to_size, from + done * from_size, count - done, kernel);
  }
  done += convert_vectors(to + done * to_size, from + done * from_size, count - done, kernel);
  if (done != count) convert_few(to + done * to_size, from + done * from_size, count - done, kernel);
}

template <FloatFormat format>
HWY_ATTR void narrow(std::byte* to, const std::byte* from, std::size_t count, const Narrowing& rules) {
  if (rules.rounding_mask == 0) convert_all(to, from, count, Narrow<format>{rules});
  else convert_all(to, from, count, NarrowToNearest<format>{rules});
}
template <FloatFormat format>
HWY_ATTR void widen(std::byte* to, const std::byte* from, std::size_t count, const Widening& rules) {
  convert_all(to, from, count, Widen<format>{rules});
}

HWY_ATTR void narrow_to(DType target, std::byte* to, const std::byte* from, std::size_t count, const Narrowing& rules) {
  if (target == DType::f16) narrow<f16_format>(to, from, count, rules);
  else if (target == DType::bf16) narrow<bf16_format>(to, from, count, rules);
  else if (target == DType::f8_e4m3fn) narrow<f8_e4m3fn_format>(to, from, count, rules);
  else narrow<f8_e5m2_format>(to, from, count, rules);
}

HWY_ATTR void widen_from(DType source, std::byte* to, const std::byte* from, std::size_t count, const Widening& rules) {
  if (source == DType::f16) widen<f16_format>(to, from, count, rules);
  else if (source == DType::bf16) widen<bf16_format>(to, from, count, rules);
  else if (source == DType::f8_e4m3fn) widen<f8_e4m3fn_format>(to, from, count, rules);
  else widen<f8_e5m2_format>(to, from, count, rules);
}

/// True when no magnitude lies within [first, end).
HWY_ATTR bool none_within(const std::byte* from, std::size_t count, std::uint32_t first, std::uint32_t end) {
  const std::size_t lanes = hn::Lanes(Words());
  std::size_t done = 0;
  // Differences wrap: for a smaller magnitude the difference is large.
  WordLanes least = all(end - first);
  for (; done + lanes <= count; done += lanes) {
    const WordLanes bits = hn::LoadU(Words(), typed<std::uint32_t>(from + done * 4));
    least = hn::Min(least, hn::Sub(hn::And(bits, all(0x7fffffff)), all(first)));
  }
  HWY_ALIGN std::uint32_t rest[hn::MaxLanes(Words())] = {};
  std::memcpy(rest, from + done * 4, (count - done) * 4);
  least = hn::Min(least, hn::Sub(hn::And(hn::Load(Words(), rest), all(0x7fffffff)), all(first)));
  return hn::AllTrue(Words(), hn::Eq(least, all(end - first)));
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace pintle::base
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pintle::base {
namespace {

HWY_EXPORT(narrow_to);
HWY_EXPORT(widen_from);
HWY_EXPORT(none_within);

const FloatFormat* narrow_format(DType dtype) noexcept {
  switch (dtype) {
    case DType::f16: return &f16_format;
    case DType::bf16: return &bf16_format;
    case DType::f8_e4m3fn: return &f8_e4m3fn_format;
    case DType::f8_e5m2: return &f8_e5m2_format;
    default: return nullptr;
  }
}

/// The bits of the f32 that an unsigned code would mean if the format had no special codes.
std::uint32_t f32_of_code(const FloatFormat& format, std::uint64_t code) noexcept {
  return static_cast<std::uint32_t>((code << (23 - format.fraction_bits)) +
                                    (static_cast<std::uint64_t>(127 - format.bias) << 23));
}

std::uint32_t largest_that_fits(const FloatFormat& format, Rounding rounding) noexcept {
  const std::uint64_t largest = format.largest();
  const std::uint32_t next = f32_of_code(format, largest + 1);
  if (rounding == Rounding::toward_zero) return next - 1;
  // A value in the middle rounds to the even code.
  const std::uint32_t middle = next - (1u << (22 - format.fraction_bits));
  return largest % 2 == 0 ? middle : middle - 1;
}

Narrowing narrowing_of(const FloatFormat& format, const Convert& how) noexcept {
  const bool saturates = how.overflow == Overflow::saturate;
  return {how.rounding == Rounding::nearest_even ? ~0u : 0u, largest_that_fits(format, how.rounding),
          static_cast<std::uint32_t>(saturates ? format.largest() : format.first_special()),
          static_cast<std::uint32_t>(format.canonical_nan()), how.nan};
}

}  // namespace

bool has_lanes(const Convert& how) noexcept {
  if (how.from == DType::f32) return narrow_format(how.to) != nullptr && how.rounding != Rounding::stochastic;
  return how.to == DType::f32 && narrow_format(how.from) != nullptr;
}

void convert_lanes(std::span<std::byte> to, std::span<const std::byte> from, const Convert& how) noexcept {
  if (how.from == DType::f32) {
    const Narrowing rules = narrowing_of(*narrow_format(how.to), how);
    HWY_DYNAMIC_DISPATCH(narrow_to)(how.to, to.data(), from.data(), from.size() / 4, rules);
  } else {
    const Widening rules{how.overflow == Overflow::saturate ? f32_infinity - 1 : f32_infinity, how.nan};
    HWY_DYNAMIC_DISPATCH(widen_from)(how.from, to.data(), from.data(), to.size() / 4, rules);
  }
}

bool lanes_fit(std::span<const std::byte> from, const Convert& how) noexcept {
  if (how.from != DType::f32) return true;
  const FloatFormat& format = *narrow_format(how.to);
  const std::uint32_t end = format.has_infinity ? f32_infinity : f32_infinity + 1;
  const std::uint32_t first = largest_that_fits(format, how.rounding) + 1;
  return HWY_DYNAMIC_DISPATCH(none_within)(from.data(), from.size() / 4, first, end);
}

std::vector<std::int64_t> lane_targets() { return hwy::SupportedAndGeneratedTargets(); }

std::string_view lane_target_name(std::int64_t target) noexcept { return hwy::TargetName(target); }

void use_lane_target(std::int64_t target) {
  hwy::GetChosenTarget().Update(target == 0 ? hwy::SupportedTargets() : target);
}

}  // namespace pintle::base
#endif
