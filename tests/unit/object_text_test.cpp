// Every object says how messages name it.
#include <gtest/gtest.h>

#include "pintle/pintle.h"

namespace pintle {
namespace {

TEST(ObjectText, IsWhatMessagesSay) {
  const Device device = must(open("cpu"));
  EXPECT_EQ(device.text(), "[cpu]");
  const Program program = must(device.load(must(ProgramPack::source(
      "c", "void one(const pintle_group* group, void* const* arguments) {}", {"one() group 1"}, "filters"))));
  EXPECT_EQ(program.text(), "[Program \"filters\"]");
  const auto kernel = program.kernel("two");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().message(), "[Program \"filters\"] has no entry \"two\"; it has \"one\".");
  const Signal signal = must(Signal::create(0, "ready"));
  EXPECT_TRUE(signal.text().starts_with("[Signal "));
  EXPECT_TRUE(signal.text().ends_with(" \"ready\"]"));
  const Queue queue = must(device.create_queue());
  EXPECT_EQ(queue.last().signal().text(), queue.text());
}

TEST(ObjectText, OfEmptyObjectsIsTheirKind) {
  EXPECT_EQ(Device().text(), "[Device]");
  EXPECT_EQ(Program().text(), "[Program]");
  EXPECT_EQ(Point().signal().text(), "[Signal]");
}

}  // namespace
}  // namespace pintle
