#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "pintle/must.h"
#include "unit/scratch_folder.h"

namespace pintle::base {
namespace {

namespace fs = std::filesystem;
using test::ScratchFolder;

std::string content(const fs::path& path) { return std::string(text_in(must(read_file(path)))); }

std::ptrdiff_t files_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST(File, ReadsWhatIsWritten) {
  const ScratchFolder folder;
  const fs::path path = folder.path() / "data";
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{65536}, std::size_t{200'001}}) {
    const std::string text(size, 'x');
    must(write_file(path, bytes_in(text)));
    EXPECT_EQ(content(path), text);
  }
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(File, MissingFileIsNamedWithTheSystemsWords) {
  const ScratchFolder folder;
  const fs::path path = folder.path() / "data";
  const auto bytes = read_file(path);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code(), Errc::io);
  EXPECT_EQ(bytes.error().message(), "File \"" + path.string() + "\" cannot be opened: No such file or directory.");
}

TEST(File, AFolderCannotBeReadOrReplaced) {
  const ScratchFolder folder;
  EXPECT_NE(read_file(folder.path()).error().message().find("Is a directory"), std::string_view::npos);
  const auto written = write_file(folder.path(), {});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code(), Errc::io);
  EXPECT_TRUE(fs::is_directory(folder.path()));
}

TEST(File, MissingFolderIsNamed) {
  const ScratchFolder folder;
  const fs::path path = folder.path() / "absent/data";
  const auto written = write_file(path, {});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message(), "File \"" + path.string() + "\" cannot be created: No such file or directory.");
}

TEST(File, TheLimitCounts) {
  const ScratchFolder folder;
  const fs::path path = folder.write("data", "12345678");
  EXPECT_TRUE(read_file(path, 8));
  const auto bytes = read_file(path, 7);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code(), Errc::invalid_argument);
  EXPECT_NE(bytes.error().message().find("larger than the limit (7 bytes)"), std::string_view::npos);
}

TEST(File, ALinkStaysALink) {
  const ScratchFolder folder;
  const fs::path target = folder.write("target", "old");
  const fs::path link = folder.path() / "link";
  fs::create_symlink("target", link);
  must(write_file(link, bytes_in("new")));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content(target), "new");
}

TEST(File, APipeIsWrittenInPlaceAndReadToItsEnd) {
  const ScratchFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string text(300'000, 'p');
  std::jthread writer([&] { EXPECT_TRUE(write_file(pipe, bytes_in(text))); });
  EXPECT_EQ(content(pipe), text);
  writer.join();
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(File, ARelativePathNeedsNoFolder) {
  const ScratchFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  const auto written = write_file("data", bytes_in("here"));
  fs::current_path(before);
  EXPECT_TRUE(written);
  EXPECT_EQ(content(folder.path() / "data"), "here");
}

TEST(FileConcurrency, AReaderSeesAllOrNothing) {
  const ScratchFolder folder;
  const fs::path path = folder.path() / "data";
  const std::string first(100'000, 'a');
  const std::string second(150'000, 'b');
  must(write_file(path, bytes_in(first)));
  std::jthread writer([&] {
    for (int round = 0; round < 20; ++round) must(write_file(path, bytes_in(round % 2 == 0 ? second : first)));
  });
  for (int round = 0; round < 200; ++round) {
    const std::string seen = content(path);
    EXPECT_TRUE(seen == first || seen == second);
  }
  writer.join();
  EXPECT_EQ(files_in(folder.path()), 1);
}

}  // namespace
}  // namespace pintle::base
