// A backend counts the maps of a piece of memory, whoever made them: core undoes those that there are.
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "unit/cpu_support.h"
#include "unit/device_over.h"

namespace pintle::test {
namespace {

struct Counts {
  int maps = 0;
  int unmaps = 0;
};

class Counting final : public kit::Forwarding {
 public:
  explicit Counting(Counts& counts) : Forwarding("counting", must(try_open_cpu({}))), counts_(counts) {}

 private:
  Result<void> before(kit::Call call) override {
    if (call == kit::Call::map) ++counts_.maps;
    if (call == kit::Call::unmap) ++counts_.unmaps;
    return {};
  }

  Counts& counts_;
};

struct BufferMapTest : testing::Test {
  Counts counts;
  Device device = device_over("counting", std::make_unique<Counting>(counts));
  Queue queue = must(device.create_queue());
};

TEST_F(BufferMapTest, WhatIsNotMappedIsNotUnmapped) {
  Buffer buffer = must(device.allocate(DType::u32, {16}, {.placement = Placement::host}));
  buffer.unmap();
  EXPECT_EQ(counts.unmaps, 0);
  must(buffer.map());
  must(buffer.map());
  for (int i = 0; i < 3; ++i) buffer.unmap();
  EXPECT_EQ(counts.unmaps, 2);
}

TEST_F(BufferMapTest, AnotherBufferOfTheMemoryKeepsItsMap) {
  Pool pool = must(Pool::create(device, {.placement = Placement::host}));
  Buffer mapped = must(queue.allocate(pool, DType::u32, {16}));
  Buffer other = must(queue.allocate(pool, DType::u32, {16}));
  must(mapped.map());
  other.unmap();
  EXPECT_EQ(counts.unmaps, 0);
}

TEST_F(BufferMapTest, ABufferThatGoesTakesItsMapsAlong) {
  Pool pool = must(Pool::create(device, {.placement = Placement::host}));
  {
    Buffer buffer = must(queue.allocate(pool, DType::u32, {16}));
    must(buffer.map());
    must(buffer.map());
  }
  EXPECT_EQ(counts.maps, 2);
  EXPECT_EQ(counts.unmaps, 2);
}

TEST_F(BufferMapTest, ALoanKeepsItsMap) {
  const Device borrower = device_over("borrower", must(try_open_cpu({})));
  Queue there = must(borrower.create_queue());
  const Buffer theirs = must(borrower.allocate(DType::u32, {16}));
  Buffer lent = must(device.allocate(DType::u32, {16}, {.placement = Placement::host}));
  Signal gate = must(Signal::create());
  const Point copied = must(there.submit(CommandList{}.copy(lent, theirs), {.after = {gate.at(1)}}));
  EXPECT_EQ(counts.maps, 1);
  lent.unmap();
  EXPECT_EQ(counts.unmaps, 0);
  must(gate.set(1));
  must(copied.wait());
}

}  // namespace
}  // namespace pintle::test
