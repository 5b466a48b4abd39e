// MPI's own collectives against sums that each rank makes by itself.
#include <gmock/gmock.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <numeric>

#include "collective/fold/reduction.h"
#include "pintle/must.h"
#include "ranks.h"

namespace pintle::collective::ranks {
namespace {

using testing::Each;

NativeCollectives& native() { return *transport().native(); }

/// Rank r's elements, small numbers of floats, and integers whose sums and products wrap: every rank can make
/// everybody's.
std::vector<std::byte> elements(DType dtype, std::uint32_t rank, std::size_t count) {
  std::vector<std::byte> all(count * bytes_of(dtype));
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<std::uint64_t>((i + rank * 3) % 5);
    const std::uint64_t wide = value * 0x9e37'79b9'7f4a'7c15;
    std::byte* const place = all.data() + i * bytes_of(dtype);
    const float as_float[2] = {static_cast<float>(value), 1.0f};
    const double as_double = static_cast<double>(value);
    if (dtype == DType::f32 || dtype == DType::complex64) std::memcpy(place, as_float, bytes_of(dtype));
    else if (dtype == DType::f64) std::memcpy(place, &as_double, sizeof as_double);
    else std::memcpy(place, &wide, bytes_of(dtype));
  }
  return all;
}

std::vector<std::byte> folded(ReduceOp op, DType dtype, std::size_t count) {
  std::vector<std::vector<std::byte>> of_ranks;
  std::vector<const std::byte*> sources;
  for (std::uint32_t rank = 0; rank < transport().ranks(); ++rank) of_ranks.push_back(elements(dtype, rank, count));
  for (const auto& of_rank : of_ranks) sources.push_back(of_rank.data());
  std::vector<std::byte> result(count * bytes_of(dtype));
  fold(op, dtype, result.data(), sources, count, 1);
  return result;
}

TEST(MpiNative, AllReduceIsTheFoldForEveryPairThatItTakes) {
  int pairs = 0;
  for (int d = 1; d <= static_cast<int>(DType::complex64); ++d) {
    for (int o = 1; o <= static_cast<int>(ReduceOp::logical_xor); ++o) {
      const auto dtype = static_cast<DType>(d);
      const auto op = static_cast<ReduceOp>(o);
      if (!native().reduces(op, dtype)) continue;
      ++pairs;
      for (const std::size_t count : {1u, 3u, 1000u}) {
        const auto expected = folded(op, dtype, count);
        auto own = elements(dtype, transport().rank(), count);
        std::vector<std::byte> to(own.size());
        must(native().all_reduce(to, own, dtype, op));
        EXPECT_EQ(to, expected) << name(op) << " of " << name(dtype);
        must(native().all_reduce(own, own, dtype, op));
        EXPECT_EQ(own, expected) << name(op) << " of " << name(dtype) << " in place";
      }
    }
  }
  EXPECT_EQ(pairs, 8 * 10 - 4 + 3 * 2) << "not the sums of i8, i16, u8 and u16";
}

TEST(MpiNative, AllReduceWraps) {
  std::vector<std::int32_t> own{std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min()};
  must(native().all_reduce(writable_bytes_of_all(own), bytes_of_all(own), DType::i32, ReduceOp::sum));
  const std::uint32_t ranks = transport().ranks();
  EXPECT_EQ(static_cast<std::uint32_t>(own[0]), 0x7fffffffu * ranks);
  EXPECT_EQ(static_cast<std::uint32_t>(own[1]), 0x80000000u * ranks);
}

TEST(MpiNative, RefusesWithoutCommunicating) {
  // One rank only: it would hang if it waited for the others.
  if (transport().rank() != 0) return;
  std::vector<std::byte> bytes(8);
  const std::pair<ReduceOp, DType> pairs[] = {{ReduceOp::mean, DType::f32},
                                              {ReduceOp::max, DType::f32},
                                              {ReduceOp::sum, DType::f16},
                                              {ReduceOp::sum, DType::u8},
                                              {ReduceOp::logical_or, DType::boolean}};
  for (const auto& [op, dtype] : pairs) {
    EXPECT_FALSE(native().reduces(op, dtype));
    for (const auto& refused :
         {native().all_reduce(bytes, bytes, dtype, op), native().reduce_scatter(bytes, bytes, dtype, op)}) {
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code(), Errc::unsupported);
    }
  }
}

TEST(MpiNative, ReduceScatterGivesEachItsPartAlsoInPlace) {
  const std::size_t count = 17;
  const auto whole = elements(DType::i64, transport().rank(), count * transport().ranks());
  const auto expected = folded(ReduceOp::sum, DType::i64, count * transport().ranks());
  const std::size_t bytes = count * 8, begin = transport().rank() * bytes;
  const auto own_part = std::span(expected).subspan(begin, bytes);
  std::vector<std::byte> to(bytes);
  must(native().reduce_scatter(to, whole, DType::i64, ReduceOp::sum));
  EXPECT_TRUE(std::ranges::equal(to, own_part));
  auto in_place = whole;
  must(native().reduce_scatter(std::span(in_place).subspan(begin, bytes), in_place, DType::i64, ReduceOp::sum));
  EXPECT_TRUE(std::ranges::equal(std::span(in_place).subspan(begin, bytes), own_part));
  auto untouched = whole;
  std::ranges::copy(own_part, untouched.begin() + static_cast<std::ptrdiff_t>(begin));
  EXPECT_EQ(in_place, untouched) << "outside of the own part nothing changes";
}

TEST(MpiNative, AllGatherOrdersByRankAlsoInPlace) {
  const std::uint32_t ranks = transport().ranks(), rank = transport().rank();
  std::vector<std::uint32_t> to(3 * ranks), own(3, rank + 1), expected;
  for (std::uint32_t r = 0; r < ranks; ++r) expected.insert(expected.end(), 3, r + 1);
  must(native().all_gather(writable_bytes_of_all(to), bytes_of_all(own)));
  EXPECT_EQ(to, expected);
  std::vector<std::uint32_t> in_place(3 * ranks);
  std::fill_n(in_place.begin() + 3 * rank, 3, rank + 1);
  must(native().all_gather(writable_bytes_of_all(in_place), bytes_of_all(in_place).subspan(12 * rank, 12)));
  EXPECT_EQ(in_place, expected);
}

TEST(MpiNative, BroadcastComesFromEachRoot) {
  for (std::uint32_t root = 0; root < transport().ranks(); ++root) {
    std::vector<std::uint32_t> values(1000, transport().rank());
    must(native().broadcast(writable_bytes_of_all(values), root));
    EXPECT_THAT(values, Each(root));
  }
}

TEST(MpiNative, AllToAllTransposes) {
  const std::uint32_t ranks = transport().ranks(), rank = transport().rank();
  std::vector<std::uint32_t> from, to(2 * ranks), expected;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    from.insert(from.end(), 2, rank * 100 + r);
    expected.insert(expected.end(), 2, r * 100 + rank);
  }
  must(native().all_to_all(writable_bytes_of_all(to), bytes_of_all(from)));
  EXPECT_EQ(to, expected);
}

TEST(MpiNative, NothingIsDoneWithNothing) {
  must(native().all_reduce({}, {}, DType::f32, ReduceOp::sum));
  must(native().reduce_scatter({}, {}, DType::f32, ReduceOp::sum));
  must(native().all_gather({}, {}));
  must(native().broadcast({}, 0));
  must(native().all_to_all({}, {}));
}

}  // namespace
}  // namespace pintle::collective::ranks
