#include "base/descriptor.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "base/shared_memory.h"
#include "pintle/must.h"

namespace pintle::base {
namespace {

/// Whether `work` answers true in a process without the standard streams from `first` on.
template <class Work>
bool holds_without(int first, Work work) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (int stream = first; stream <= STDERR_FILENO; ++stream) ::close(stream);
    ::_exit(work() ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status == 0;
}

int open_null() { return ::open("/dev/null", O_RDWR | O_CLOEXEC); }

TEST(Descriptor, IsNoStandardStreams) {
  for (int first = 0; first <= 2; ++first) {
    EXPECT_TRUE(holds_without(first, [] {
      const Descriptor one(open_null());
      Descriptor other(-1);
      other.reset(open_null());
      return one.number() > STDERR_FILENO && other.number() > STDERR_FILENO &&
             ::fcntl(one.number(), F_GETFD) == FD_CLOEXEC && !Descriptor(-1).is_open();
    })) << first;
  }
}

TEST(Descriptor, SharedMemoryIsNoStandardStream) {
  for (int first = 0; first <= 2; ++first) {
    EXPECT_TRUE(holds_without(first, [] {
      return must(SharedMemory::create(4096, "test")).descriptor() > STDERR_FILENO;
    })) << first;
  }
}

TEST(Descriptor, OccupiedStreamsTakeAndGiveNothing) {
  for (int first = 0; first <= 2; ++first) {
    EXPECT_TRUE(holds_without(first, [] {
      occupy_standard_streams();
      char letter = 'x';
      const int after = open_null();
      return after > STDERR_FILENO && ::write(STDERR_FILENO, &letter, 1) < 0 && errno == EBADF;
    })) << first;
  }
  EXPECT_TRUE(holds_without(0, [] {
    occupy_standard_streams();
    char letter = 'x';
    return ::read(STDIN_FILENO, &letter, 1) < 0 && errno == EBADF;
  }));
}

TEST(Descriptor, StreamsThatAreThereAreLeft) {
  EXPECT_TRUE(holds_without(3, [] {
    const int kept = ::fcntl(STDERR_FILENO, F_GETFD);
    occupy_standard_streams();
    return kept == ::fcntl(STDERR_FILENO, F_GETFD) && ::write(STDERR_FILENO, "", 0) == 0;
  }));
}

}  // namespace
}  // namespace pintle::base
