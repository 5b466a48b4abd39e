// Staging memory by itself: what is pulled and pushed is the device's own bytes.
#include "collective/queue/staging.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "collective/group_queue_support.h"

namespace pintle::collective {
namespace {

constexpr std::uint64_t slot_bytes = 4096;

class GroupQueueStaging : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto absence = test::absence_of(GetParam()); !absence.empty()) GTEST_SKIP() << absence;
    device_ = must(open(GetParam()));
    queue_ = must(device_.create_queue());
    staging_ = must(Staging::create(device_, slot_bytes));
  }

  Device device_;
  Queue queue_;
  std::unique_ptr<Staging> staging_;
};

INSTANTIATE_TEST_SUITE_P(Devices, GroupQueueStaging, testing::ValuesIn(test::device_ids()), test::name_of_device);

TEST_P(GroupQueueStaging, SlotsAreApart) {
  for (std::size_t slot = 0; slot < Staging::slots; ++slot) {
    ASSERT_EQ(staging_->bytes(slot).size(), slot_bytes);
    std::ranges::fill(staging_->bytes(slot), std::byte(slot + 1));
  }
  for (std::size_t slot = 0; slot < Staging::slots; ++slot) {
    EXPECT_EQ(std::ranges::count(staging_->bytes(slot), std::byte(slot + 1)), slot_bytes);
  }
}

TEST_P(GroupQueueStaging, IsMappedWhereTheDeviceSaysSo) {
  const bool says = device_.info().capability(Feature::mapped_memory).support == Support::native;
  EXPECT_EQ(staging_->is_mapped(), says);
}

TEST_P(GroupQueueStaging, PullsPiecesToWhereTheyBelong) {
  std::vector<std::uint8_t> values(100);
  std::iota(values.begin(), values.end(), std::uint8_t{1});
  Buffer buffer = must(device_.allocate_for(values));
  must(queue_.submit_and_wait(CommandList{}.upload(buffer, values)));
  const StagedPiece pieces[] = {{must(buffer.slice(90, 7)), 0}, {must(buffer.slice(3, 1)), 33}};
  must(must(staging_->pull(1, pieces)).wait());
  EXPECT_TRUE(std::ranges::equal(staging_->bytes(1).first(7), std::as_bytes(std::span(values).subspan(90, 7))));
  EXPECT_EQ(staging_->bytes(1)[33], std::byte{4});
}

TEST_P(GroupQueueStaging, PushesPiecesAndRaisesSignals) {
  const std::vector<std::uint8_t> zeros(64, 0);
  Buffer buffer = must(device_.allocate_for(zeros));
  must(queue_.submit_and_wait(CommandList{}.upload(buffer, zeros)));
  std::ranges::fill(staging_->bytes(2), std::byte{9});
  const Signal done = must(Signal::create());
  const StagedPiece pieces[] = {{must(buffer.slice(1, 2)), 0}, {must(buffer.slice(63, 1)), 11}};
  must(staging_->push(2, pieces, {done.at(5)}));
  must(done.wait(5));
  std::vector<std::uint8_t> expected = zeros;
  expected[1] = expected[2] = expected[63] = 9;
  EXPECT_EQ(must(read<std::uint8_t>(queue_, buffer)), expected);
}

TEST_P(GroupQueueStaging, ABufferThatIsGoneIsStale) {
  Buffer buffer = must(device_.allocate(DType::u8, {8}));
  const StagedPiece piece{buffer.view(), 0};
  buffer = {};
  const auto pulled = staging_->pull(0, {&piece, 1});
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().code(), Errc::stale);
}

}  // namespace
}  // namespace pintle::collective
