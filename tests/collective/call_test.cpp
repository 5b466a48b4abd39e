#include "collective/group/call.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <set>
#include <string>

namespace pintle::collective {
namespace {

constexpr auto most_operation = static_cast<unsigned>(Operation::set_up);

TEST(Call, EveryOperationHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (unsigned i = 0; i <= most_operation; ++i) names.insert(name(static_cast<Operation>(i)));
  EXPECT_EQ(names.size(), most_operation + 1);
  EXPECT_FALSE(names.contains(""));
  EXPECT_EQ(name(static_cast<Operation>(most_operation + 1)), "");
}

TEST(Call, TravelsInThreeWords) {
  for (unsigned operation = 0; operation <= most_operation; ++operation) {
    for (unsigned algorithm = 1; algorithm <= 6; ++algorithm) {
      for (const bool is_reproducible : {false, true}) {
        Call call{.number = 7, .count = 1ull << 60, .operation = static_cast<Operation>(operation)};
        call.op = static_cast<ReduceOp>(1 + operation % 11);
        call.dtype = static_cast<DType>(1 + operation);
        call.algorithm = static_cast<Algorithm>(algorithm);
        call.root = 0xfffffffe;
        call.is_reproducible = is_reproducible;
        EXPECT_EQ(unpack(call.number, call.count, pack(call)), call);
      }
    }
  }
}

// Each difference is seen on the other side.
TEST(Call, WordsOfCallsThatDifferDiffer) {
  const Call call{.number = 1, .count = 1, .operation = Operation::reduce};
  std::set<std::uint64_t> words{pack(call)};
  Call other = call;
  other.op = ReduceOp::max;
  words.insert(pack(other));
  other = call;
  other.dtype = DType::f64;
  words.insert(pack(other));
  other = call;
  other.algorithm = Algorithm::ring;
  words.insert(pack(other));
  other = call;
  other.root = 1;
  words.insert(pack(other));
  other = call;
  other.is_reproducible = true;
  words.insert(pack(other));
  other = call;
  other.operation = Operation::all_reduce;
  words.insert(pack(other));
  EXPECT_EQ(words.size(), 7u);
}

TEST(Call, TextsAreForPeople) {
  Call call{.number = 17, .count = 1024, .operation = Operation::all_reduce};
  call.dtype = DType::f32;
  EXPECT_EQ(text(call), "all_reduce 17 (sum, f32, 1024 elements, 4096 bytes)");
  call.is_reproducible = true;
  call.algorithm = Algorithm::ring;
  EXPECT_EQ(text(call), "all_reduce 17 (sum, f32, 1024 elements, 4096 bytes, ring, reproducible)");
  EXPECT_EQ(text(Call{.number = 2, .count = 8, .operation = Operation::broadcast, .root = 3}),
            "broadcast 2 (u8, 8 elements, 8 bytes, root 3)");
  EXPECT_EQ(text(Call{.number = 3, .count = 2, .operation = Operation::send_recv, .dtype = DType::f64}),
            "send to recv 3 (f64, 2 elements, 16 bytes)");
  EXPECT_EQ(text(Call{.number = 4, .operation = Operation::barrier}), "barrier 4");
  EXPECT_EQ(text(Call{.number = 5, .operation = Operation::set_up}), "set-up 5");
}

// What another process has written may be anything.
TEST(Call, WordsOfNobodyAreReadable) {
  const Call call = unpack(9, std::numeric_limits<std::uint64_t>::max(), 0x00000007'7f0cfa01);
  EXPECT_EQ(text(call), "all_reduce 9 (250, f32, 18446744073709551615 elements, too many bytes, 127)");
  EXPECT_EQ(text(unpack(9, 1, 0x00c8'01fe)), "254 9 (200, 1 elements, too many bytes, 0)");
  for (std::uint64_t bit = 0; bit < 64; ++bit) {
    EXPECT_FALSE(text(unpack(bit, bit, std::uint64_t{1} << bit)).empty());
    EXPECT_FALSE(text(unpack(bit, bit, ~(std::uint64_t{1} << bit))).empty());
  }
}

}  // namespace
}  // namespace pintle::collective
