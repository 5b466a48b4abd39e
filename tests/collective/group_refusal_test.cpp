// What operations refuse before anything is sent: afterwards the group works as if nobody had asked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pintle/device.h"
#include "pintle/group.h"
#include "pintle/must.h"
#include "ranks.h"

namespace pintle::collective {
namespace {

using testing::HasSubstr;

/// Every rank makes the same wrong call; each gets this text, and nothing was sent.
void expect_refused(std::uint32_t ranks, const std::function<Result<void>(Group&)>& wrong, Errc code,
                    const std::string& text) {
  expect_success(on_each_of(ranks, [&](Group& group) -> Result<void> {
    const auto refused = wrong(group);
    EXPECT_FALSE(refused);
    if (refused) return {};
    EXPECT_EQ(refused.error().code(), code);
    EXPECT_EQ(refused.error().message(), text);
    EXPECT_EQ(group.statistics().operations, 0u);
    EXPECT_EQ(group.statistics().bytes_sent, 0u);
    PINTLE_TRY(group.health());
    std::array<std::int32_t, 2> sum{1, static_cast<std::int32_t>(group.rank())};
    PINTLE_TRY(group.run(Collective::all_reduce(sum, ReduceOp::sum)));
    EXPECT_EQ(sum[0], static_cast<std::int32_t>(ranks));
    return {};
  }));
}

void expect_refused(const std::function<Result<void>(Group&)>& wrong, const std::string& text) {
  expect_refused(2, wrong, Errc::invalid_argument, text);
}

struct Room {
  std::array<std::byte, 256> bytes{};
  [[nodiscard]] MutableElements at(DType dtype, std::size_t first, std::size_t size) {
    return {dtype, std::span(bytes).subspan(first, size)};
  }
};

// C1: a length that is no whole number of elements.
TEST(GroupRefusalConcurrency, PartsOfElements) {
  expect_refused(
      [room = Room()](Group& group) mutable {
        return group.run(Collective::all_reduce(room.at(DType::f32, 0, 7), ReduceOp::sum));
      },
      "The size of from (7 bytes) is no multiple of an element of f32 (4).");
  expect_refused(
      [room = Room()](Group& group) mutable { return group.run(Collective::broadcast(room.at(DType::f64, 0, 12), 0)); },
      "The size of elements (12 bytes) is no multiple of an element of f64 (8).");
  expect_refused(
      [room = Room()](Group& group) mutable {
        return group.run(Collective::send(room.at(DType::complex64, 0, 9), 1 - group.rank()));
      },
      "The size of from (9 bytes) is no multiple of an element of complex64 (8).");
  expect_refused(
      [room = Room()](Group& group) mutable {
        return group.run(Collective::recv(room.at(DType::u16, 0, 3), 1 - group.rank()));
      },
      "The size of to (3 bytes) is no multiple of an element of u16 (2).");
  expect_refused([room = Room()](
                     Group& group) mutable { return group.run(Collective::scatter(room.at(DType::u16, 0, 3), {}, 0)); },
                 "The size of to (3 bytes) is no multiple of an element of u16 (2).");
}

TEST(GroupRefusalConcurrency, CodesOfAnotherSize) {
  expect_refused(
      [](Group& group) {
        std::array<float, 4> values{};
        return group.run(Collective::all_reduce({DType::f16, values}, ReduceOp::sum));
      },
      "The elements of from have 4 bytes, an element of f16 has 2.");
}

TEST(GroupRefusalConcurrency, MemoryOfADevice) {
  const Device device = must(open("cpu"));
  Buffer buffer = must(device.allocate(DType::f32, {4}));
  expect_refused([&](Group& group) { return group.run(Collective::all_reduce(buffer.view(), ReduceOp::sum)); },
                 "to is memory of a device: submit the operation to a GroupQueue.");
}

TEST(GroupRefusalConcurrency, OperationsThatAreNone) {
  expect_refused([](Group& group) { return group.run({.kind = Collective::Kind(12)}); },
                 "The kind of operation (12) is none.");
  expect_refused([](Group& group) { return group.run(Collective::barrier().with(Algorithm(9))); },
                 "The algorithm (9) is none.");
}

TEST(GroupRefusalConcurrency, SizesThatDoNotFit) {
  const auto u8 = DType::u8;
  expect_refused(
      [=, room = Room()](Group& group) mutable {
        return group.run(Collective::all_reduce(room.at(u8, 0, 8), room.at(u8, 100, 12), ReduceOp::sum));
      },
      "The size of to (8 bytes) is not the size of from (12 bytes).");
  expect_refused(
      [=, room = Room()](Group& group) mutable {
        return group.run(Collective::reduce_scatter(room.at(u8, 0, 8), room.at(u8, 100, 17), ReduceOp::sum));
      },
      "The size of from (17 bytes) is not 2 times the size of to (8 bytes).");
  expect_refused(
      [=, room = Room()](Group& group) mutable {
        return group.run(Collective::all_gather(room.at(u8, 0, 15), room.at(u8, 100, 8)));
      },
      "The size of to (15 bytes) is not 2 times the size of from (8 bytes).");
  expect_refused(
      [=, room = Room()](Group& group) mutable {
        return group.run(Collective::all_to_all(room.at(u8, 0, 7), room.at(u8, 100, 7)));
      },
      "The size of from (7 bytes) is no multiple of 2 parts of whole elements of u8.");
  expect_refused(
      [=, room = Room()](Group& group) mutable {
        return group.run(Collective::all_to_all(room.at(u8, 0, 8), room.at(u8, 100, 10)));
      },
      "The size of to (8 bytes) is not the size of from (10 bytes).");
  expect_refused(
      [room = Room()](Group& group) mutable {
        return group.run(Collective::all_to_all(room.at(DType::u32, 0, 12), room.at(DType::u32, 100, 12)));
      },
      "The size of from (12 bytes) is no multiple of 2 parts of whole elements of u32.");
}

// At the root only: what others give as `to` is nobody's business.
TEST(GroupRefusalConcurrency, SizesAtTheRoot) {
  const std::vector<std::function<Result<void>(Group&)>> wrong{
      [room = Room()](Group& group) mutable {
        return group.run(
            Collective::reduce(room.at(DType::u8, 0, 9), room.at(DType::u8, 100, 8), ReduceOp::sum, group.rank()));
      },
      [room = Room()](Group& group) mutable {
        return group.run(Collective::gather(room.at(DType::u8, 0, 9), room.at(DType::u8, 100, 8), group.rank()));
      },
      [room = Room()](Group& group) mutable {
        return group.run(Collective::scatter(room.at(DType::u8, 0, 8), room.at(DType::u8, 100, 9), group.rank()));
      },
  };
  expect_refused(wrong[0], "The size of to (9 bytes) is not the size of from (8 bytes).");
  expect_refused(wrong[1], "The size of to (9 bytes) is not 2 times the size of from (8 bytes).");
  expect_refused(wrong[2], "The size of from (9 bytes) is not 2 times the size of to (8 bytes).");
}

TEST(GroupRefusalConcurrency, DtypesThatDiffer) {
  const auto call = [room = Room()](Group& group) mutable {
    return group.run(Collective::all_reduce(room.at(DType::f32, 0, 8), room.at(DType::i32, 100, 8), ReduceOp::sum));
  };
  expect_refused(call, "The dtype of to (f32) is not that of from (i32).");
  expect_refused(
      [room = Room()](Group& group) mutable {
        return group.run(Collective::all_to_all(room.at(DType::f64, 0, 16), room.at(DType::i64, 100, 16)));
      },
      "The dtype of to (f64) is not that of from (i64).");
}

TEST(GroupRefusalConcurrency, NumbersThatOnlyACastCanMake) {
  expect_refused(
      [room = Room()](Group& group) mutable {
        return group.run(Collective::all_reduce(room.at(static_cast<DType>(99), 0, 8), ReduceOp::sum));
      },
      "The dtype of from (99) is none.");
  expect_refused(
      [room = Room()](Group& group) mutable {
        return group.run(Collective::broadcast(room.at(static_cast<DType>(0), 0, 8), 0));
      },
      "The dtype of elements (0) is none.");
  expect_refused(
      [room = Room()](Group& group) mutable {
        return group.run(Collective::broadcast(room.at(DType::u8, 0, 8), 0).with(static_cast<Algorithm>(77)));
      },
      "The algorithm (77) is none.");
  expect_refused([](Group& group) { return group.run(Collective::barrier().with(static_cast<Algorithm>(0))); },
                 "The algorithm (0) is none.");
  expect_refused(
      [room = Room()](Group& group) mutable {
        return group.run(Collective::all_reduce(room.at(DType::u8, 0, 8), static_cast<ReduceOp>(12)));
      },
      "The operator (12) of a reduction is none of 1 to 11.");
}

TEST(GroupRefusalConcurrency, PairsWithoutAMeaning) {
  expect_refused(
      [room = Room()](Group& group) mutable {
        return group.run(Collective::all_reduce(room.at(DType::f32, 0, 8), ReduceOp::bit_and));
      },
      "The operator (bit_and) has no meaning for elements of f32: bits are combined of integers and bool only.");
  expect_refused(
      [room = Room()](Group& group) mutable {
        return group.run(
            Collective::reduce(room.at(DType::complex64, 0, 8), room.at(DType::complex64, 0, 8), ReduceOp::max, 0));
      },
      "The operator (max) has no meaning for elements of complex64: complex numbers have no order.");
  expect_refused(
      [room = Room()](Group& group) mutable {
        return group.run(Collective::all_reduce(room.at(DType::boolean, 0, 8), ReduceOp::mean));
      },
      "The operator (mean) has no meaning for elements of bool: a part of a truth is no truth.");
}

TEST(GroupRefusalConcurrency, RanksThatDoNotExist) {
  const std::string text = "The root (2) is not below the number of ranks (2).";
  const auto memory = [](Room& room) { return room.at(DType::u8, 0, 8); };
  expect_refused([=, room = Room()](Group& group) mutable { return group.run(Collective::broadcast(memory(room), 2)); },
                 text);
  expect_refused(
      [=, room = Room()](Group& group) mutable { return group.run(Collective::gather({}, memory(room), 2)); }, text);
  expect_refused(
      [=, room = Room()](Group& group) mutable { return group.run(Collective::scatter(memory(room), {}, 2)); }, text);
  expect_refused(
      [=, room = Room()](Group& group) mutable {
        return group.run(Collective::reduce({}, memory(room), ReduceOp::sum, 2));
      },
      text);
  expect_refused(
      [=, room = Room()](Group& group) mutable { return group.run(Collective::send(memory(room), 4'000'000'000u)); },
      "The rank (4000000000) is not below the number of ranks (2).");
  expect_refused([=, room = Room()](Group& group) mutable { return group.run(Collective::recv(memory(room), 2)); },
                 "The rank (2) is not below the number of ranks (2).");
}

TEST(GroupRefusal, NobodySendsToItself) {
  std::vector<Group> groups = must(Group::threads(1));
  std::array<float, 1> value{};
  EXPECT_EQ(groups[0].run(Collective::send(value, 0)).error().message(), "Rank 0 sends to itself.");
  EXPECT_EQ(groups[0].run(Collective::recv(value, 0)).error().message(), "Rank 0 receives from itself.");
}

TEST(GroupRefusalConcurrency, Overlaps) {
  const auto u8 = DType::u8;
  expect_refused(
      [=, room = Room()](Group& group) mutable {
        return group.run(Collective::all_reduce(room.at(u8, 4, 8), room.at(u8, 0, 8), ReduceOp::sum));
      },
      "to (8 bytes) overlaps from (8 bytes).");
  expect_refused(
      [=, room = Room()](Group& group) mutable {
        return group.run(Collective::all_to_all(room.at(u8, 0, 8), room.at(u8, 0, 8)));
      },
      "to (8 bytes) overlaps from (8 bytes).");
  expect_refused(
      [=, room = Room()](Group& group) mutable {  // a part, but the other rank's
        return group.run(Collective::all_gather(room.at(u8, 0, 16), room.at(u8, group.rank() == 0 ? 8 : 0, 8)));
      },
      "to (16 bytes) overlaps from (8 bytes).");
  expect_refused(
      [=, room = Room()](Group& group) mutable {
        return group.run(
            Collective::reduce_scatter(room.at(u8, group.rank() == 0 ? 8 : 0, 8), room.at(u8, 0, 16), ReduceOp::sum));
      },
      "from (16 bytes) overlaps to (8 bytes).");
  expect_refused(
      [=, room = Room()](Group& group) mutable {
        return group.run(Collective::gather(room.at(u8, 0, 16), room.at(u8, 1, 8), group.rank()));
      },
      "to (16 bytes) overlaps from (8 bytes).");
  expect_refused(
      [=, room = Room()](Group& group) mutable {
        return group.run(Collective::scatter(room.at(u8, 1, 8), room.at(u8, 0, 16), group.rank()));
      },
      "from (16 bytes) overlaps to (8 bytes).");
}

TEST(GroupRefusalConcurrency, AnAlgorithmThatTheTransportHasNot) {
  expect_refused(
      2,
      [room = Room()](Group& group) mutable {
        return group.run(Collective::all_reduce(room.at(DType::f32, 0, 8), ReduceOp::sum).with(Algorithm::native));
      },
      Errc::unsupported, "Transport threads has no all_reduce of its own for sum of f32.");
}

// Only one rank is wrong: it learns what, asks again rightly, and nobody else sees anything of it.
TEST(GroupRefusalConcurrency, OneRankMayCorrectItself) {
  expect_success(on_each_of(3, [](Group& group) -> Result<void> {
    std::vector<double> values(10, 1.0), sums(10);
    if (group.rank() == 1) {
      EXPECT_EQ(group.run(Collective::all_reduce(std::span(sums).first(9), values, ReduceOp::sum)).error().code(),
                Errc::invalid_argument);
      EXPECT_EQ(group.run(Collective::all_reduce(sums, ReduceOp::bit_xor)).error().code(), Errc::invalid_argument);
    }
    PINTLE_TRY(group.run(Collective::all_reduce(sums, values, ReduceOp::sum)));
    EXPECT_EQ(sums, std::vector<double>(10, 3.0));
    return {};
  }));
}

TEST(GroupRefusal, OfNoRanksOrTooMany) {
  for (const std::uint32_t ranks : {0u, 1025u, ~0u}) {
    const auto groups = Group::threads(ranks);
    ASSERT_FALSE(groups);
    EXPECT_EQ(groups.error().code(), Errc::invalid_argument);
    EXPECT_THAT(groups.error().text(), HasSubstr("(" + std::to_string(ranks) + ")"));
    EXPECT_THAT(groups.error().text(), HasSubstr("1024"));
  }
}

TEST(GroupRefusal, AnEmptyGroup) {
  Group group;
  std::array<float, 4> four{};
  const std::vector<Result<void>> refused{group.run(Collective::all_reduce(four, ReduceOp::sum)),
                                          group.run(Collective::reduce(four, four, ReduceOp::sum, 0)),
                                          group.run(Collective::reduce_scatter(four, four, ReduceOp::sum)),
                                          group.run(Collective::all_gather(four, four)),
                                          group.run(Collective::gather(four, four, 0)),
                                          group.run(Collective::scatter(four, four, 0)),
                                          group.run(Collective::broadcast(four, 0)),
                                          group.run(Collective::all_to_all(four, four)),
                                          group.run(Collective::send(four, 0)),
                                          group.run(Collective::recv(four, 0)),
                                          group.run(Collective::barrier()),
                                          group.health()};
  for (const auto& result : refused) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), Errc::invalid_argument);
    EXPECT_EQ(result.error().message(), "The group is empty: it was moved from or never made.");
  }
  EXPECT_EQ(group.split(0).error().code(), Errc::invalid_argument);
  EXPECT_EQ(group.shrink().error().code(), Errc::invalid_argument);
  EXPECT_EQ(group.rebuild().error().code(), Errc::invalid_argument);
  EXPECT_EQ(group.ranks(), 0u);
  EXPECT_EQ(group.rank(), 0u);
  EXPECT_EQ(group.generation(), 0u);
  EXPECT_EQ(group.transport(), "");
  EXPECT_EQ(group.text(), "[Group]");
}

TEST(Group, SaysWhatItIs) {
  std::vector<Group> groups = must(Group::threads(3, {.label = "tensor \"parallel\""}));
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(groups[rank].rank(), rank);
    EXPECT_EQ(groups[rank].ranks(), 3u);
    EXPECT_EQ(groups[rank].generation(), 1u);
    EXPECT_EQ(groups[rank].transport(), "threads");
    EXPECT_THAT(groups[rank].text(), testing::MatchesRegex(R"(\[Group [0-9]+ "tensor .*parallel.*"\])"));
    EXPECT_TRUE(groups[rank].health());
  }
  const Group moved = std::move(groups[1]);
  EXPECT_EQ(moved.rank(), 1u);
  EXPECT_EQ(groups[1].ranks(), 0u);
}

TEST(GroupRefusal, TransportsThatProcessesDoNotJoin) {
  const auto group = Group::join({.transport = "threads"});
  ASSERT_FALSE(group);
  EXPECT_EQ(group.error().code(), Errc::invalid_argument);
  EXPECT_THAT(group.error().text(), HasSubstr("\"threads\""));
}

}  // namespace
}  // namespace pintle::collective
