// A file as memory: its bytes, its life, and what cannot be mapped.
#include "base/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "pintle/must.h"
#include "unit/scratch_folder.h"

namespace pintle::base {
namespace {

namespace fs = std::filesystem;
using test::ScratchFolder;

std::string refusal(const fs::path& path) {
  const auto file = MappedFile::open(path);
  if (file) return "mapped";
  EXPECT_EQ(file.error().code(), Errc::io);
  return std::string(file.error().message());
}

TEST(MappedFile, HasTheBytesOfTheFile) {
  const ScratchFolder folder;
  for (const std::size_t size : {std::size_t{1}, std::size_t{4096}, std::size_t{200'001}}) {
    std::string text(size, 'x');
    text.front() = 'a';
    text.back() = 'z';
    const MappedFile file = must(MappedFile::open(folder.write("data", text)));
    EXPECT_EQ(text_in(file.bytes()), text);
  }
}

TEST(MappedFile, StartsAtAPage) {
  const ScratchFolder folder;
  const MappedFile file = must(MappedFile::open(folder.write("data", "page")));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(file.bytes().data()) % static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)),
            0u);
}

TEST(MappedFile, AnEmptyFileHasNoBytes) {
  const ScratchFolder folder;
  const auto file = MappedFile::open(folder.write("empty", ""));
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_TRUE(file->bytes().empty());
}

TEST(MappedFile, MovesWithoutMovingItsBytes) {
  const ScratchFolder folder;
  MappedFile first = must(MappedFile::open(folder.write("first", "first")));
  MappedFile second = must(MappedFile::open(folder.write("second", "second")));
  const std::byte* const address = first.bytes().data();
  second = std::move(first);
  EXPECT_EQ(second.bytes().data(), address);
  EXPECT_EQ(text_in(second.bytes()), "first");
  EXPECT_TRUE(first.bytes().empty());  // NOLINT(bugprone-use-after-move): what is left is part of the contract
  const MappedFile third(std::move(second));
  EXPECT_EQ(text_in(third.bytes()), "first");
}

TEST(MappedFile, KeepsItsBytesWhenTheNameIsWrittenAnewOrRemoved) {
  const ScratchFolder folder;
  const fs::path path = folder.write("data", "old");
  const MappedFile file = must(MappedFile::open(path));
  must(write_file(path, bytes_in("new and longer")));
  EXPECT_EQ(text_in(file.bytes()), "old");
  EXPECT_EQ(text_in(must(MappedFile::open(path)).bytes()), "new and longer");
  fs::remove(path);
  EXPECT_EQ(text_in(file.bytes()), "old");
}

TEST(MappedFile, NeedsNoRightToWrite) {
  const ScratchFolder folder;
  const fs::path path = folder.write("data", "read");
  fs::permissions(path, fs::perms::owner_read);
  EXPECT_EQ(text_in(must(MappedFile::open(path)).bytes()), "read");
}

TEST(MappedFile, LeavesNoDescriptorOpen) {
  const ScratchFolder folder;
  const fs::path path = folder.write("data", "read");
  const auto next_descriptor = [] {
    const int number = dup(0);
    close(number);
    return number;
  };
  const int before = next_descriptor();
  const MappedFile file = must(MappedFile::open(path));
  EXPECT_EQ(next_descriptor(), before);
}

TEST(MappedFile, RefusalsNameThePathAndTheSystemsWords) {
  const ScratchFolder folder;
  const fs::path absent = folder.path() / "absent";
  EXPECT_EQ(refusal(absent), "File \"" + absent.string() + "\" cannot be opened: No such file or directory.");
  EXPECT_EQ(refusal(folder.path()), "File \"" + folder.path().string() + "\" cannot be mapped: Is a directory.");
}

TEST(MappedFile, APipeIsRefusedAtOnce) {
  const ScratchFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(refusal(pipe), "File \"" + pipe.string() + "\" cannot be mapped: It is not a regular file.");
}

TEST(File, PartsAreWrittenOneBehindTheOther) {
  const ScratchFolder folder;
  const fs::path path = folder.path() / "data";
  const std::vector<std::span<const std::byte>> parts{bytes_in("one "), {}, bytes_in("two"), bytes_in("\n")};
  must(write_parts(path, parts));
  EXPECT_EQ(text_in(must(read_file(path))), "one two\n");
}

TEST(File, PartsOfAMappedFileMayReplaceIt) {
  const ScratchFolder folder;
  const fs::path path = folder.write("data", "half and half");
  const MappedFile file = must(MappedFile::open(path));
  const std::vector<std::span<const std::byte>> parts{file.bytes().last(4), file.bytes()};
  must(write_parts(path, parts));
  EXPECT_EQ(text_in(must(read_file(path))), "halfhalf and half");
}

}  // namespace
}  // namespace pintle::base
