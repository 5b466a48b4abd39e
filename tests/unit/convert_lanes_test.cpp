// Every instruction set that this processor has, against one element at a time.
#include "base/convert_lanes.h"

#include <algorithm>
#include <cstdint>

#include "base/convert_scalar.h"
#include "pintle/must.h"
#include "unit/convert_support.h"

namespace pintle::test {
namespace {

/// One instruction set while it lives, then the best again.
class OnTarget {
 public:
  explicit OnTarget(std::int64_t target) { base::use_lane_target(target); }
  OnTarget(const OnTarget&) = delete;
  OnTarget& operator=(const OnTarget&) = delete;
  ~OnTarget() { base::use_lane_target(0); }
};

template <class Body>
void on_every_target(Body body) {
  ASSERT_FALSE(base::lane_targets().empty());
  for (const std::int64_t target : base::lane_targets()) {
    const OnTarget scope(target);
    SCOPED_TRACE(base::lane_target_name(target));
    body();
  }
}

/// All pairs and rules that have lanes.
template <class Body>
void for_every_lane_rule(Body body) {
  for (const DType dtype : narrow_dtypes) {
    for (const Convert pair : {Convert{DType::f32, dtype}, Convert{dtype, DType::f32}}) {
      for_every_rule(pair, [&](const Convert& how) {
        if (base::has_lanes(how)) body(how);
      });
    }
  }
}

std::vector<std::byte> random_bytes(std::size_t size, std::uint64_t seed) {
  SplitMix random(seed);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next() >> 56);
  return bytes;
}

/// f32 of every exponent and sign, the fractions at random or near those that round: what is dropped is all 0, all 1,
/// or half, give or take one.
std::vector<std::byte> telling_floats() {
  SplitMix random(3);
  std::vector<std::uint32_t> words;
  for (std::uint32_t exponent = 0; exponent < 512; ++exponent) {
    for (int i = 0; i < 200; ++i) {
      const auto shift = static_cast<int>(random.next() % 24);
      const auto kept = static_cast<std::uint32_t>(random.next()) << shift;
      const auto dropped = shift == 0 ? 0 : (1u << (shift - 1)) + static_cast<std::uint32_t>(random.next() % 3) - 1;
      words.push_back(exponent << 23 | ((kept | dropped) & 0x7fffff));
    }
  }
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> telling(DType dtype) {
  if (dtype == DType::f32) return telling_floats();
  const std::size_t size = bytes_of(dtype), count = std::size_t{1} << (8 * size);
  std::vector<std::byte> codes(count * size);
  for (std::size_t i = 0; i < count; ++i) std::memcpy(codes.data() + i * size, &i, size);
  return codes;
}

/// As Overflow::error in lanes, which is asked of `lanes_fit` before.
Convert without_error(const Convert& how) {
  return how.overflow == Overflow::error ? how.with(Overflow::infinity) : how;
}

std::vector<std::byte> by_scalar(std::span<const std::byte> from, const Convert& how) {
  std::vector<std::byte> to(must(converted_bytes(from.size(), how)));
  EXPECT_EQ(base::convert_scalar(to, from, without_error(how), base::Writing::writes), std::nullopt);
  return to;
}

TEST(ConvertLanes, EveryTargetGivesTheBitsOfOneAtATime) {
  on_every_target([] {
    for_every_lane_rule([](const Convert& how) {
      const auto from = telling(how.from);
      const auto wanted = by_scalar(from, how);
      std::vector<std::byte> to(wanted.size());
      base::convert_lanes(to, from, how);
      const auto wrong = std::ranges::mismatch(to, wanted).in1;
      ASSERT_EQ(wrong, to.end()) << "byte " << wrong - to.begin();
    });
  });
}

TEST(ConvertLanes, EveryTargetConvertsEveryLengthAtEveryAddressAndNothingBehind) {
  constexpr std::size_t guard = 64;
  on_every_target([] {
    for_every_lane_rule([](const Convert& how) {
      const auto from = random_bytes(70 * 4 + 8, 5);
      for (std::size_t count = 0; count <= 70; ++count) {
        const std::size_t offset = count % 7;
        const std::span read(from.data() + offset, count * bytes_of(how.from));
        const auto wanted = by_scalar(read, how);
        std::vector<std::byte> memory(2 * guard + wanted.size() + offset, std::byte{0xa5});
        base::convert_lanes({memory.data() + guard + offset, wanted.size()}, read, how);
        ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), memory.data() + guard + offset)) << count;
        std::fill_n(memory.data() + guard + offset, wanted.size(), std::byte{0xa5});
        ASSERT_EQ(std::ranges::count(memory, std::byte{0xa5}), std::ssize(memory)) << count;
      }
    });
  });
}

TEST(ConvertLanes, EveryTargetStreamsLargeResultsAtEveryAddress) {
  constexpr std::size_t count = (std::size_t{4} << 20) + 37, guard = 64;
  const auto from = random_bytes(count * 4 + 1, 6);
  on_every_target([&] {
    for (const Convert how : {Convert::f32_to_f16, Convert::f32_to_f8_e5m2, Convert::bf16_to_f32}) {
      const std::span read(from.data() + 1, count * bytes_of(how.from));
      const auto wanted = by_scalar(read, how);
      for (const std::size_t offset : {0u, 1u, 2u, 4u, 60u}) {
        std::vector<std::byte> memory(2 * guard + wanted.size() + offset, std::byte{0xa5});
        base::convert_lanes({memory.data() + guard + offset, wanted.size()}, read, how);
        ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), memory.data() + guard + offset)) << offset;
        std::fill_n(memory.data() + guard + offset, wanted.size(), std::byte{0xa5});
        ASSERT_EQ(std::ranges::count(memory, std::byte{0xa5}), std::ssize(memory)) << offset;
      }
    }
  });
}

TEST(ConvertLanes, EveryTargetFindsTheOneElementThatDoesNotFit) {
  on_every_target([] {
    for_every_lane_rule([](const Convert& how) {
      if (how.overflow != Overflow::error || how.from != DType::f32) return;
      for (const std::uint32_t word : {0x7f7fffffu, 0xff7fffffu, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0x7f800001u,
                                       0x477fefffu, 0x477ff000u, 0x43e80000u, 0x43e80001u, 0x475fffffu, 0x47700000u}) {
        for (std::size_t place = 0; place < 40; ++place) {
          std::vector<std::uint32_t> words(40, 0x3f800000);
          words[place] = word;
          const auto from = std::as_bytes(std::span(words));
          const auto refused = base::convert_scalar({}, from, how, base::Writing::only_checks);
          ASSERT_EQ(base::lanes_fit(from, how), !refused) << std::hex << word << " at " << place;
        }
      }
    });
  });
}

}  // namespace
}  // namespace pintle::test
