#include "base/stream_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/platform.h"

namespace pintle::base {
namespace {

[[nodiscard]] std::vector<std::byte> counting(std::size_t bytes) {
  std::vector<std::byte> values(bytes);
  for (std::size_t i = 0; i < bytes; ++i) values[i] = static_cast<std::byte>(i * 7 + i / 251);
  return values;
}

// Whatever the alignment of both sides and the size: all of it, and not a byte beside it.
TEST(StreamCopy, CopiesWhatItIsToldAndNothingElse) {
  constexpr std::size_t margin = 128;
  constexpr std::byte guard{0xee};
  const std::vector<std::byte> from = counting(5000);
  for (const std::size_t bytes : {0u, 1u, 15u, 16u, 63u, 64u, 65u, 127u, 128u, 129u, 1000u, 4096u}) {
    for (std::size_t shift = 0; shift < 70; shift += 3) {
      std::vector<std::byte> to(margin + 70 + bytes + margin, guard);
      const std::size_t at = margin + shift;
      stream_copy(to.data() + at, from.data() + shift % 17, bytes);
      const auto copied = to.begin() + static_cast<std::ptrdiff_t>(at);
      const auto source = from.begin() + static_cast<std::ptrdiff_t>(shift % 17);
      ASSERT_TRUE(std::equal(copied, copied + static_cast<std::ptrdiff_t>(bytes), source))
          << bytes << " bytes at " << shift;
      const auto touched = std::ranges::count_if(to, [&](std::byte value) { return value != guard; });
      const auto own_guards = std::count(source, source + static_cast<std::ptrdiff_t>(bytes), guard);
      ASSERT_EQ(static_cast<std::size_t>(touched), bytes - static_cast<std::size_t>(own_guards))
          << bytes << " bytes at " << shift;
    }
  }
}

TEST(StreamCopy, NothingOfNothingIsFine) {
  std::byte one{7};
  stream_copy(&one, nullptr, 0);
  EXPECT_EQ(one, std::byte{7});
}

TEST(Platform, AThreadRunsOnSomeProcessor) { EXPECT_LT(current_processor(), 1u << 20); }

}  // namespace
}  // namespace pintle::base
