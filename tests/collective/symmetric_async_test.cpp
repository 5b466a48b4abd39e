#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "pintle/collective.h"
#include "pintle/signal.h"
#include "pintle/symmetric.h"
#include "symmetric_support.h"

namespace pintle::collective {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(SymmetricAsyncConcurrency, ATransferWaitsForItsPointsAndGivesOne) {
  with_heaps(2, 4096, [](SymmetricHeap& heap) {
    const SymmetricBuffer buffer = must(heap.allocate(DType::u32, {4}));
    std::ranges::fill(must(heap.local<std::uint32_t>(buffer)), 7u);
    must(heap.barrier());
    const std::uint32_t other = 1 - heap.rank();
    const Signal ready = must(Signal::create());
    std::vector<std::uint32_t> from(4, 1), to(4);
    const Point put = must(heap.put(buffer.on(other), from, {.wait = {ready.at(1), ready.at(2)}}));
    const Point got = must(heap.get(to, buffer.on(other), {}));
    EXPECT_FALSE(must(put.is_reached()));
    EXPECT_THAT(must(heap.local<std::uint32_t>(buffer)), Each(7u)) << "both sides wait";
    must(heap.barrier(seconds(20)).error().code() == Errc::timeout ? Result<void>() : Result<void>());
    Signal mine = ready;
    from.assign(4, 5);
    must(mine.set(2));
    must(got.wait());
    EXPECT_TRUE(must(put.is_reached())) << "in order";
    EXPECT_THAT(to, Each(5u));
  });
}

}  // namespace
}  // namespace pintle::collective
