// A driver refuses memory that it is to import, as an H200's did with mappings of files: nothing fails for that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cpu_support.h"
#include "device_over.h"

namespace pintle::test {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

/// What the driver of both devices does with memory of another device or of the host, and how often it did.
struct DriverOfBoth {
  DriverOfBoth driver;
  const Device first = choosy("choosy:0", driver), second = choosy("choosy:1", driver);
  Queue queue = must(first.create_queue()), other = must(second.create_queue());
  const Buffer to = must(first.allocate(DType::u32, {1000})), from = must(second.allocate(DType::u32, {1000}));
  const auto crosses = [&](std::uint32_t value) {
    must(other.submit_and_wait(CommandList{}.fill(from, value)));
    must(queue.submit_and_wait(CommandList{}.copy(to, from)));
    EXPECT_EQ(must(read<std::uint32_t>(queue, to)), Words(1000, value));
  };
  crosses(1);
  EXPECT_EQ(driver.taken, 2);  // the trial, and the buffer: so the devices know that they share memory
  driver.refuses = true;
  crosses(2);
  EXPECT_EQ(driver.taken, 2);
  EXPECT_EQ(driver.refused, 1);
}

}  // namespace
}  // namespace pintle::test
