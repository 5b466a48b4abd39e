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
  HostRun run(function);
  HostRun::run(&run);
  EXPECT_EQ(depth, 1);
  EXPECT_EQ(no_blocking, 0);
  EXPECT_FALSE(run.take_error());
}

TEST(HostFunction, ExceptionsBecomeTheFirstError) {
  int runs = 0;
  HostFunction function([&] {
    if (++runs == 1) throw std::runtime_error("no paper");
    throw 42;
  });
  HostRun run(function);
  HostRun::run(&run);
  HostRun::run(&run);
  EXPECT_EQ(no_blocking, 0);
  const auto first = run.take_error();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->code(), Errc::cancelled);
  EXPECT_EQ(first->text(), "Host call throws (no paper).");
  EXPECT_FALSE(run.take_error());
  HostRun::run(&run);
  EXPECT_EQ(run.take_error()->text(), "Host call throws (an exception that is no std::exception).");
}

TEST(HostFunctionConcurrency, ReplaysShareOne) {
  HostFunction function([] { throw std::runtime_error("always"); });
  HostRun run(function);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 200; ++j) HostRun::run(&run);
    });
  }
  threads.clear();
  EXPECT_TRUE(run.take_error());
  EXPECT_FALSE(run.take_error());
}

TEST(HostFunction, EveryRunHasItsOwnError) {
  int runs = 0;
  HostFunction function([&] {
    if (++runs == 2) throw std::runtime_error("the second");
  });
  HostRun first(function), second(function);
  HostRun::run(&first);
  HostRun::run(&second);
  EXPECT_FALSE(first.take_error());
  EXPECT_EQ(second.take_error()->text(), "Host call throws (the second).");
}

}  // namespace
}  // namespace pintle::core
