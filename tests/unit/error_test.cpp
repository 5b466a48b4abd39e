#include "pintle/error.h"
#include "pintle/must.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <set>
#include <thread>
#include <vector>

#include "unit/golden.h"

namespace pintle {
namespace {

using test::expect_golden;

Error small_binding() {
  return {Errc::invalid_argument, R"(Binding size (256) is larger than the size (80) of [Buffer 12 "view matrix"].)"};
}

TEST(Errc, NamesReadBackAndKeepTheirNumbers) {
  std::set<std::string_view> names;
  for (int number = 1; number <= 14; ++number) {
    const auto code = static_cast<Errc>(number);
    EXPECT_EQ(parse_errc(name(code)), code);
    names.insert(name(code));
  }
  EXPECT_EQ(names.size(), 14u);
  EXPECT_EQ(name(Errc::device_lost), "device_lost");
  EXPECT_EQ(static_cast<int>(Errc::internal), 14);
}

TEST(Errc, WhatIsNoCodeHasNoName) {
  EXPECT_EQ(parse_errc("Device_Lost"), std::nullopt);
  EXPECT_EQ(parse_errc(""), std::nullopt);
  EXPECT_EQ(name(static_cast<Errc>(0)), "unknown");
  EXPECT_EQ(parse_errc("unknown"), std::nullopt);
}

TEST(Error, TextIsTheMessageAlone) { expect_golden("errors/message", small_binding().text()); }

TEST(Error, TextHasALineForEachContext) {
  const Error error = small_binding()
                          .during(R"(validating argument 1 of [Kernel "blur"])")
                          .during("submitting to [Queue 2] of [cuda:0]");
  expect_golden("errors/context", error.text());
  ASSERT_EQ(error.context().size(), 2u);
  EXPECT_EQ(error.context()[1], "submitting to [Queue 2] of [cuda:0]");
}

TEST(Error, ContextKeepsNineLines) {
  Error error = small_binding();
  for (int step = 1; step <= 9; ++step) error = error.during(std::to_string(step));
  const std::vector<std::string> all(error.context().begin(), error.context().end());
  EXPECT_EQ(all, (std::vector<std::string>{"1", "2", "3", "4", "5", "6", "7", "8", "9"}));
}

// The first lines say what was wrong, the last ones who was told.
TEST(Error, ContextOfAChainLeavesOutItsMiddle) {
  constexpr int steps = 1000;
  Error error = small_binding();
  for (int step = 1; step <= steps; ++step) error = error.during(std::to_string(step));
  const std::vector<std::string> all(error.context().begin(), error.context().end());
  EXPECT_EQ(all, (std::vector<std::string>{"1", "2", "3", "4", "going on through (992) more steps", "997", "998", "999",
                                           "1000"}));
  EXPECT_EQ(Error(error).during("then").context()[4], "going on through (993) more steps");
}

TEST(Error, TextHasTheVendorsWords) {
  const Error error = Error(Errc::device_lost, "Kernel [Kernel \"blur\"] reads address (0x10) that no buffer holds.")
                          .with_vendor({"libcuda.so.1", 700, "CUDA_ERROR_ILLEGAL_ADDRESS"})
                          .with_device("cuda:0", 3)
                          .during("waiting for [Queue 2]");
  expect_golden("errors/vendor", error.text());
  EXPECT_EQ(error.vendor()->number, 700);
  EXPECT_EQ(error.device(), "cuda:0");
  EXPECT_EQ(error.generation(), 3u);
}

TEST(Error, TextOfAVendorWithoutSymbol) {
  expect_golden("errors/vendor_number", Error(Errc::internal, "Driver answers a code (-7) that it does not document.")
                                            .with_vendor({"libze.so", -7, {}})
                                            .text());
}

TEST(Error, RemembersWhereItWasMade) {
  const auto here = std::source_location::current();
  const Error error(Errc::io, "Disk is full.");
  EXPECT_STREQ(error.where().file_name(), here.file_name());
  EXPECT_EQ(error.where().line(), here.line() + 1);
  EXPECT_EQ(error.during("writing").where().line(), error.where().line());
}

TEST(Error, DuringLeavesTheSharedErrorAlone) {
  const Error first = small_binding();
  const Error copy = first;
  const Error longer = first.during("submitting");
  EXPECT_TRUE(first.context().empty());
  EXPECT_TRUE(copy.context().empty());
  EXPECT_EQ(longer.context().size(), 1u);
  EXPECT_EQ(longer.code(), first.code());
}

TEST(Error, OriginFollowsCopiesAndContextButNotLikeness) {
  const Error first = small_binding();
  EXPECT_TRUE(first.same_origin(Error(first)));
  EXPECT_TRUE(first.same_origin(first.during("waiting").with_device("cpu", 1)));
  EXPECT_FALSE(first.same_origin(small_binding()));
}

TEST(Error, AssignmentShares) {
  Error a = small_binding();
  const Error b(Errc::timeout, "Deadline (5 ms) passes.");
  a = b;
  EXPECT_TRUE(a.same_origin(b));
  const Error& alias = a;
  a = alias;
  EXPECT_EQ(a.code(), Errc::timeout);
  Error c = std::move(a);
  c = std::move(*&c);
  EXPECT_EQ(c.code(), Errc::timeout);
}

TEST(Error, MovedFromIsAnErrorStill) {
  Error first = small_binding();
  const Error second = std::move(first);
  EXPECT_EQ(second.code(), Errc::invalid_argument);
  EXPECT_EQ(first.code(), Errc::internal);     // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(first.text(), "Error is moved.");  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(first.during("x").code(), Errc::internal);
  first = second;
  EXPECT_TRUE(first.same_origin(second));
}

TEST(ErrorConcurrency, CopiesMayCrossThreads) {
  const Error shared = small_binding().during("submitting");
  std::atomic<int> wrong{0};
  std::vector<std::jthread> threads;
  for (int index = 0; index < 4; ++index) {
    threads.emplace_back([shared, &wrong] {
      for (int round = 0; round < 1000; ++round) {
        const Error copy = shared;
        const Error longer = copy.during("waiting");
        if (!longer.same_origin(shared) || longer.context().size() != 2) ++wrong;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(shared.context().size(), 1u);
}

Result<int> half(int value) {
  if (value % 2 != 0) return Error(Errc::invalid_argument, "Number is odd.");
  return value / 2;
}

Result<void> check_half(int value) {
  PINTLE_TRY(half(value));
  return {};
}

Result<std::string> quarter(int value) {
  PINTLE_ASSIGN(once, half(value));
  PINTLE_ASSIGN(twice, half(once));
  return std::to_string(twice);
}

TEST(Result, MacrosReturnTheError) {
  EXPECT_EQ(*quarter(12), "3");
  EXPECT_EQ(quarter(6).error().message(), "Number is odd.");
  EXPECT_TRUE(check_half(2));
  EXPECT_FALSE(check_half(3));
}

TEST(Result, MustThrowsWhatIsNoValue) {
  EXPECT_EQ(must(half(8)), 4);
  EXPECT_NO_THROW(must(check_half(2)));
  try {
    must(check_half(3));
    FAIL() << "nothing was thrown";
  } catch (const Exception& exception) {
    EXPECT_EQ(std::string_view(exception.what()).substr(0, 14), "Number is odd.");
    EXPECT_EQ(exception.error().code(), Errc::invalid_argument);
  }
}

TEST(Result, ValueOrTakesTheOther) {
  EXPECT_EQ(half(3).value_or(7), 7);
  EXPECT_EQ(half(4).value_or(7), 2);
}

}  // namespace
}  // namespace pintle
