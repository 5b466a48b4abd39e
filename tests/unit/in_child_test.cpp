#include "base/in_child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "pintle/must.h"

namespace pintle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(InChild, AnswersComeBack) {
  const std::string large(300'000, 'x');
  EXPECT_EQ(must(base::in_child("libx", "", [&]() -> Result<std::string> { return large; })), large);
  EXPECT_EQ(must(base::in_child("libx", "", []() -> Result<std::string> { return std::string(); })), "");
  const auto refused =
      base::in_child("libx", "", []() -> Result<std::string> { return Error(Errc::build_failed, "k.hip:1:2: no"); });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::build_failed);
  EXPECT_EQ(refused.error().message(), "k.hip:1:2: no");
}

TEST(InChild, ItsEndIsAnErrorAndNotOurs) {
  const auto ends = [](auto end, Duration patience = std::chrono::minutes(1)) {
    const auto answer = base::in_child(
        "libx.so", "Take another.",
        [&]() -> Result<std::string> {
          end();
          return std::string();
        },
        patience);
    EXPECT_EQ(answer.error().code(), Errc::build_failed);
    return std::string(answer.error().message());
  };
  EXPECT_THAT(ends([] { std::raise(SIGSEGV); }),
              AllOf(HasSubstr("libx.so"), HasSubstr("signal 11"), HasSubstr("Take another.")));
  EXPECT_THAT(ends([] {
                std::fputs("the bitcode is too old\n", stderr);
                std::abort();
              }),
              AllOf(HasSubstr("signal 6"), HasSubstr("has said: the bitcode is too old")));
  EXPECT_THAT(ends([] { std::_Exit(0); }), HasSubstr("without an answer"));
  EXPECT_THAT(ends([] { std::this_thread::sleep_for(std::chrono::hours(1)); }, std::chrono::milliseconds(50)),
              HasSubstr("(50 ms)"));
}

}  // namespace
}  // namespace pintle::test
