#include "base/child_process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>

#include "base/descriptor.h"
#include "base/platform.h"
#include "base/shared_memory.h"
#include "pintle/must.h"
#include "unit/scratch_folder.h"

namespace pintle::base {
namespace {

using testing::HasSubstr;

ChildStart shell(const std::string& script) { return {.arguments = {"/bin/sh", "-c", script}}; }
ChildProcess started(const ChildStart& start) { return must(ChildProcess::start(start)); }
ProcessEnd end_of(const ChildStart& start) { return started(start).wait(); }

/// A child that ends when it is told to, and not before.
class Patient {
 public:
  Patient() : child_(started(shell("kill -STOP $$; exit 5"))) {
    int status = 0;
    ::waitpid(number(), &status, WUNTRACED);
    EXPECT_TRUE(WIFSTOPPED(status));
  }
  [[nodiscard]] pid_t number() const { return static_cast<pid_t>(child_.process()); }
  ChildProcess& child() { return child_; }

 private:
  ChildProcess child_;
};

TEST(ProcessEnd, HasWords) {
  EXPECT_EQ(text({.code = 3, .signal = 0}), "has ended with exit code 3");
  EXPECT_EQ(text({.code = 0, .signal = 9}),
            "was ended by signal 9 (kill, which for want of memory the system sends too)");
  EXPECT_TRUE((ProcessEnd{.code = 0, .signal = 0}).is_success());
  EXPECT_FALSE((ProcessEnd{.code = 1, .signal = 0}).is_success());
  EXPECT_FALSE((ProcessEnd{.code = 0, .signal = 15}).is_success());
}

TEST(ChildProcess, EndsWithACodeOrASignal) {
  EXPECT_TRUE(end_of(shell("exit 0")).is_success());
  EXPECT_EQ(end_of(shell("exit 7")).code, 7);
  const ProcessEnd killed = end_of(shell("kill -9 $$"));
  EXPECT_EQ(killed.signal, 9);
  EXPECT_EQ(killed.code, 0);
}

TEST(ChildProcess, GetsItsArgumentsAsTheyAre) {
  EXPECT_TRUE(end_of({.arguments = {"/bin/sh", "-c", "test \"$1\" = 'a b\"$x' && test -z \"$2\" && test $# = 2", "sh",
                                    "a b\"$x", ""}})
                  .is_success());
}

TEST(ChildProcess, GetsTheEnvironmentWithTheChanges) {
  ::setenv("PINTLE_TEST_KEPT", "kept", 1);
  ::setenv("PINTLE_TEST_CHANGED", "old", 1);
  ChildStart start = shell(
      "test \"$PINTLE_TEST_KEPT$PINTLE_TEST_CHANGED$PINTLE_TEST_NEW\" = 'keptnewadded=1' && "
      "test $(env | grep -c PINTLE_TEST_CHANGED) = 1");
  start.environment = {"PINTLE_TEST_CHANGED=new", "PINTLE_TEST_NEW=added=1"};
  EXPECT_TRUE(end_of(start).is_success());
  EXPECT_STREQ(std::getenv("PINTLE_TEST_CHANGED"), "old");
}

TEST(ChildProcess, InheritsTheNamedDescriptorOnly) {
  const SharedMemory given = must(SharedMemory::create(4096, "test")), kept = must(SharedMemory::create(4096, "test"));
  ChildStart start = shell("test -e /proc/self/fd/" + std::to_string(given.descriptor()) +
                           " && ! test -e /proc/self/fd/" + std::to_string(kept.descriptor()));
  start.inherited = given.descriptor();
  EXPECT_TRUE(end_of(start).is_success());
  EXPECT_EQ(::fcntl(given.descriptor(), F_GETFD), FD_CLOEXEC);
}

TEST(ChildProcess, WhatCannotBeStartedIsAnError) {
  const test::ScratchFolder folder;
  for (const std::string& program :
       {(folder.path() / "program").string(), std::string("/proc/self/status"), std::string("/")}) {
    const auto child = ChildProcess::start({.arguments = {program}});
    ASSERT_FALSE(child);
    EXPECT_EQ(child.error().code(), Errc::unavailable);
    EXPECT_THAT(child.error().text(), HasSubstr("Program \"" + program + "\" cannot be started: "));
  }
  ChildStart closed = shell("exit 0");
  closed.inherited = 100000;
  EXPECT_THAT(ChildProcess::start(closed).error().text(), HasSubstr("Bad file descriptor"));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
}

TEST(ChildProcess, ItsEndIsHeardOnce) {
  Patient patient;
  EXPECT_EQ(patient.child().try_wait(), std::nullopt);
  patient.child().send(SIGCONT);
  std::optional<ProcessEnd> end;
  while (!end) end = patient.child().try_wait();
  EXPECT_EQ(end->code, 5);
  EXPECT_EQ(patient.child().process(), 0u);
  EXPECT_EQ(patient.child().try_wait(), std::nullopt);
  patient.child().send(SIGKILL);  // to nobody
}

TEST(ChildProcess, GoesWithItsOwner) {
  pid_t number = 0;
  {
    Patient patient;
    number = patient.number();
    const ChildProcess moved = std::move(patient.child());
    EXPECT_EQ(moved.process(), static_cast<std::uint64_t>(number));
    EXPECT_EQ(patient.child().process(), 0u);
    EXPECT_EQ(::kill(number, 0), 0);
  }
  EXPECT_NE(::kill(number, 0), 0);
}

TEST(ChildProcess, EndsWhenItsParentIsKilled) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  Descriptor writing(ends[1]);
  const Descriptor reading(ends[0]);
  const pid_t parent = ::fork();
  if (parent == 0) {
    ::dup2(writing.number(), 1);  // the grandchild holds it until it ends
    const auto grandchild = ChildProcess::start(shell("echo; exec sleep 1000"));
    while (true) ::pause();
  }
  static_cast<void>(writing.close());
  char letter = 0;
  EXPECT_EQ(retried([&] { return ::read(reading.number(), &letter, 1); }), 1);  // the grandchild is there
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  while (retried([&] { return ::read(reading.number(), &letter, 1); }) > 0) continue;  // to the end of the last writer
}

TEST(ProcessWatch, SeesTheEndBeforeTheParentHears) {
  Patient patient;
  const ProcessWatch watch(patient.child().process());
  EXPECT_EQ(watch.process(), patient.child().process());
  EXPECT_FALSE(watch.has_ended());
  patient.child().send(SIGKILL);
  while (!watch.has_ended()) ::usleep(100);
  EXPECT_EQ(patient.child().wait().signal, 9);
  EXPECT_TRUE(watch.has_ended());
}

TEST(ProcessWatch, WhatIsNoProcessHasEnded) {
  for (const std::uint64_t number :
       {std::uint64_t{0}, std::uint64_t{1} << 22, std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
    EXPECT_TRUE(ProcessWatch(number).has_ended()) << number;
  }
  EXPECT_FALSE(ProcessWatch(process_id()).has_ended());
}

TEST(ProcessEvents, HearsOfChildrenAndOfSignals) {
  const ProcessEvents events;
  ChildProcess child = started(shell("exit 4"));
  EXPECT_EQ(events.wait().signal, SIGCHLD);
  EXPECT_EQ(child.wait().code, 4);
  ::kill(::getpid(), SIGTERM);
  const auto event = events.wait();
  EXPECT_EQ(event.signal, SIGTERM);
  EXPECT_FALSE(event.is_from_terminal);
}

TEST(ProcessEvents, ADeadlineIsNoSignalAndTakesNone) {
  const ProcessEvents events;
  EXPECT_EQ(events.wait(Clock::now()).signal, 0);
  EXPECT_EQ(events.wait(Clock::now() + std::chrono::milliseconds(5)).signal, 0);
  ::kill(::getpid(), SIGHUP);
  EXPECT_EQ(events.wait(Clock::now()).signal, SIGHUP);
}

TEST(ProcessEvents, ChildrenThatWereIgnoredAreHeard) {
  ::signal(SIGCHLD, SIG_IGN);
  {
    const ProcessEvents events;
    ChildProcess child = started(shell("exit 4"));
    EXPECT_EQ(events.wait().signal, SIGCHLD);
    EXPECT_EQ(child.wait().code, 4);
  }
  struct sigaction now{};
  ::sigaction(SIGCHLD, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_IGN);
  ::signal(SIGCHLD, SIG_DFL);
}

TEST(ProcessEvents, ChildrenMayBeEndedBySignals) {
  const ProcessEvents events;  // blocks what a child must not find blocked
  ChildProcess child = started(shell("kill -TERM $$; exit 0"));
  EXPECT_EQ(child.wait().signal, SIGTERM);
}

}  // namespace
}  // namespace pintle::base
