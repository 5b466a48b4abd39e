#include "core/list/host_function.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/door/thread_context.h"

namespace pintle::core {
namespace {

TEST(HostFunction, RunsAndForbidsBlocking) {
  int depth = 0;
  HostFunction function([&] { depth = no_blocking; });
  HostFunction::run(&function);
  EXPECT_EQ(depth, 1);
  EXPECT_EQ(no_blocking, 0);
  EXPECT_FALSE(function.take_error());
}

TEST(HostFunction, ExceptionsBecomeTheFirstError) {
  int runs = 0;
  HostFunction function([&] {
    if (++runs == 1) throw std::runtime_error("no paper");
    throw 42;
  });
  HostFunction::run(&function);
  HostFunction::run(&function);
  EXPECT_EQ(no_blocking, 0);
  const auto first = function.take_error();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->code(), Errc::cancelled);
  EXPECT_EQ(first->text(), "Host call throws (no paper).");
  EXPECT_FALSE(function.take_error());
  HostFunction::run(&function);
  EXPECT_EQ(function.take_error()->text(), "Host call throws (an exception that is no std::exception).");
}

TEST(HostFunctionConcurrency, ReplaysShareOne) {
  HostFunction function([] { throw std::runtime_error("always"); });
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 200; ++j) HostFunction::run(&function);
    });
  }
  threads.clear();
  EXPECT_TRUE(function.take_error());
  EXPECT_FALSE(function.take_error());
}

}  // namespace
}  // namespace pintle::core
