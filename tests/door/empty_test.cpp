// Nothing crashes on an object that was never made, or moved from: it is refused by name, or answers what says nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "door/table.h"

namespace pintle::door {
namespace {

void expect_refusals(Objects& objects) {
  for (const Row& row : all_rows()) {
    const auto error = row.call(objects);
    if (row.kind != Kind::refused) continue;
    ASSERT_TRUE(error) << row.name;
    EXPECT_FALSE(error->message().empty()) << row.name;
    EXPECT_NE(error->code(), Errc::internal) << row.name << ": " << error->text();
  }
}

TEST(EmptyObjects, AreRefused) {
  Objects empty;
  expect_refusals(empty);
}

TEST(EmptyObjects, AreRefusedWhereTheyAreMovedFrom) {
  Objects all = Objects::make("cpu");
  const Objects kept = std::move(all);
  all.view = {};  // plain values stay as they are
  all.symmetric = {};
  all.signals = {};
  expect_refusals(all);  // NOLINT(bugprone-use-after-move)
}

}  // namespace
}  // namespace pintle::door
