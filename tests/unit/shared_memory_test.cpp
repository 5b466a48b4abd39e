#include "base/shared_memory.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <ranges>
#include <string>
#include <utility>

#include "base/descriptor.h"
#include "base/platform.h"
#include "pintle/must.h"

namespace pintle::base {
namespace {

using testing::HasSubstr;

std::string refusal(std::uint64_t process, int descriptor, std::uint64_t bytes) {
  const auto memory = SharedMemory::open(process, static_cast<std::uint64_t>(descriptor), bytes);
  if (memory) return "accepted";
  const bool is_gone = memory.error().text().contains("No such file or directory");
  EXPECT_EQ(memory.error().code(), is_gone ? Errc::not_found : Errc::unavailable);
  return memory.error().text();
}

std::string refusal(int descriptor, std::uint64_t bytes = 4096) { return refusal(process_id(), descriptor, bytes); }

std::size_t open_descriptors() {
  return static_cast<std::size_t>(std::ranges::distance(std::filesystem::directory_iterator("/proc/self/fd")));
}

/// What is mapped here under a name.
bool is_mapped(const std::string& name) {
  std::FILE* const maps = std::fopen("/proc/self/maps", "r");
  char line[512];
  bool found = false;
  while (std::fgets(line, sizeof line, maps) != nullptr) found |= std::string(line).contains(name);
  std::fclose(maps);
  return found;
}

TEST(SharedMemory, BeginsWithZeros) {
  for (const auto create :
       {+[] { return SharedMemory::create(70000, "test"); }, +[] { return SharedMemory::create_private(70000); }}) {
    const SharedMemory memory = must(create());
    ASSERT_EQ(memory.bytes().size(), 70000u);
    EXPECT_TRUE(std::ranges::all_of(memory.bytes(), [](std::byte byte) { return byte == std::byte{}; }));
    std::ranges::fill(memory.bytes(), std::byte{1});
  }
  EXPECT_EQ(must(SharedMemory::create_private(1)).descriptor(), -1);
}

TEST(SharedMemory, OpenedAndInheritedItIsTheSameMemory) {
  const SharedMemory memory = must(SharedMemory::create(8192, "test"));
  const SharedMemory opened =
      must(SharedMemory::open(process_id(), static_cast<std::uint64_t>(memory.descriptor()), 8192));
  const SharedMemory inherited = must(SharedMemory::inherit(memory.descriptor()));
  EXPECT_NE(opened.bytes().data(), memory.bytes().data());
  memory.bytes()[8191] = std::byte{7};
  EXPECT_EQ(opened.bytes()[8191], std::byte{7});
  EXPECT_EQ(inherited.bytes()[8191], std::byte{7});
  EXPECT_EQ(inherited.bytes().size(), 8192u);
  EXPECT_EQ(opened.descriptor(), -1);
}

TEST(SharedMemory, AChildOpensWhatItsParentHas) {
  const SharedMemory memory = must(SharedMemory::create(4096, "test"));
  const std::uint64_t parent = process_id();
  const pid_t child = ::fork();
  if (child == 0) {
    const auto opened = SharedMemory::open(parent, static_cast<std::uint64_t>(memory.descriptor()), 4096);
    if (opened) opened->bytes()[0] = std::byte{42};
    ::_exit(opened ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(memory.bytes()[0], std::byte{42});
}

TEST(SharedMemory, NobodyCutsItShort) {
  const SharedMemory memory = must(SharedMemory::create(8192, "test"));
  EXPECT_NE(::ftruncate(memory.descriptor(), 0), 0);
  EXPECT_EQ(errno, EPERM);
  EXPECT_NE(::ftruncate(memory.descriptor(), 1 << 20), 0);
  EXPECT_NE(::fcntl(memory.descriptor(), F_ADD_SEALS, F_SEAL_WRITE), 0);
}

TEST(SharedMemory, SizesThatNoMemoryHasAreErrors) {
  for (const std::uint64_t bytes : {std::uint64_t{1} << 62, ~std::uint64_t{0}, std::uint64_t{0}}) {
    const auto memory = SharedMemory::create(bytes, "test");
    ASSERT_FALSE(memory);
    EXPECT_EQ(memory.error().code(), Errc::out_of_memory);
    EXPECT_THAT(memory.error().text(), HasSubstr(std::to_string(bytes) + " bytes"));
    EXPECT_EQ(SharedMemory::create_private(bytes).error().code(), Errc::out_of_memory);
  }
}

TEST(SharedMemory, WhatIsNoSealedMemoryIsRefused) {
  int pipe[2];
  ASSERT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
  const Descriptor reading(pipe[0]), writing(pipe[1]), device(::open("/dev/zero", O_RDWR | O_CLOEXEC)),
      folder(::open("/proc", O_RDONLY | O_CLOEXEC)), unsealed(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(unsealed.number(), 4096), 0);
  EXPECT_THAT(refusal(reading.number()), HasSubstr("it is no memory"));
  EXPECT_THAT(refusal(writing.number()), HasSubstr("it is no memory"));
  EXPECT_THAT(refusal(device.number()), HasSubstr("it is no memory"));
  EXPECT_THAT(refusal(folder.number()), HasSubstr("it is no memory"));
  EXPECT_THAT(refusal(unsealed.number()), HasSubstr("it is not sealed"));
  EXPECT_FALSE(SharedMemory::inherit(reading.number()));
  EXPECT_FALSE(SharedMemory::inherit(unsealed.number()));
  EXPECT_FALSE(SharedMemory::inherit(-1));
}

TEST(SharedMemory, APipeWithANameIsNotWaitedFor) {
  const auto path = std::filesystem::temp_directory_path() / ("pintle-fifo-" + std::to_string(process_id()));
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const Descriptor fifo(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  std::filesystem::remove(path);
  EXPECT_THAT(refusal(fifo.number()), HasSubstr("it is no memory"));
}

TEST(SharedMemory, AFileOfTheRightSizeIsRefused) {
  const auto path = std::filesystem::temp_directory_path() / ("pintle-file-" + std::to_string(process_id()));
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  std::filesystem::remove(path);
  ASSERT_EQ(::ftruncate(file.number(), 4096), 0);
  EXPECT_THAT(refusal(file.number()), HasSubstr("cannot be opened as shared memory"));
}

TEST(SharedMemory, AnotherSizeIsRefused) {
  const SharedMemory memory = must(SharedMemory::create(8192, "test"));
  EXPECT_THAT(refusal(memory.descriptor(), 4096), HasSubstr("its size (8192) is not the expected (4096)"));
  EXPECT_THAT(refusal(memory.descriptor(), 8193), HasSubstr("its size (8192) is not the expected (8193)"));
}

TEST(SharedMemory, InheritedMemoryIsLeftToNoProgram) {
  const SharedMemory memory = must(SharedMemory::create(4096, "test"));
  ASSERT_EQ(::fcntl(memory.descriptor(), F_SETFD, 0), 0);  // as a parent leaves it
  const SharedMemory inherited = must(SharedMemory::inherit(memory.descriptor()));
  EXPECT_EQ(::fcntl(memory.descriptor(), F_GETFD), FD_CLOEXEC);
}

TEST(SharedMemory, NumbersOfNothingAreRefused) {
  const SharedMemory memory = must(SharedMemory::create(4096, "test"));
  for (const std::uint64_t process : {std::uint64_t{0}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    EXPECT_THAT(refusal(process, memory.descriptor(), 4096), HasSubstr("No such file or directory"));
  }
  EXPECT_THAT(refusal(100000), HasSubstr("Descriptor 100000 of process"));
  EXPECT_FALSE(SharedMemory::open(process_id(), ~std::uint64_t{0}, 4096));
}

TEST(SharedMemory, NothingIsLeftBehind) {
  const std::size_t before = open_descriptors();
  {
    const SharedMemory memory = must(SharedMemory::create(4096, "pintle-left-behind"));
    const SharedMemory inherited = must(SharedMemory::inherit(memory.descriptor()));
    EXPECT_EQ(open_descriptors(), before + 1);
    EXPECT_TRUE(is_mapped("pintle-left-behind"));
    static_cast<void>(refusal(memory.descriptor(), 1));
    EXPECT_FALSE(SharedMemory::create(std::uint64_t{1} << 62, "test"));
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_FALSE(is_mapped("pintle-left-behind"));
}

TEST(SharedMemory, MovesAndClosesItsDescriptor) {
  SharedMemory memory = must(SharedMemory::create(4096, "test"));
  const int number = memory.descriptor();
  std::byte* const place = memory.bytes().data();
  SharedMemory moved = std::move(memory);
  EXPECT_EQ(moved.bytes().data(), place);
  EXPECT_EQ(moved.descriptor(), number);
  moved.close_descriptor();
  EXPECT_EQ(moved.descriptor(), -1);
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
  moved.bytes()[0] = std::byte{1};
  SharedMemory other = must(SharedMemory::create(8192, "test"));
  other = std::move(moved);
  EXPECT_EQ(other.bytes().data(), place);
}

}  // namespace
}  // namespace pintle::base
