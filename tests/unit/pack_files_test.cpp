// Files of packs that are no files: what waits for a writer or never ends is refused at once.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.h"
#include "io/pack.h"
#include "io/pack_recipe.h"
#include "pintle/must.h"
#include "pintle/program.h"
#include "unit/scratch_folder.h"

namespace pintle {
namespace {

namespace fs = std::filesystem;
using test::ScratchFolder;

constexpr const char* description =
    R"json({"name": "p", "variants": [{"format": "c", "entries": ["k()"], "file": "code.c"}]})json";

/// Before they were refused these tests waited for ever: an alarm ends the process then.
class PackFiles : public testing::Test {
 protected:
  void SetUp() override { ::alarm(60); }
  void TearDown() override { ::alarm(0); }

  static void expect_refused(const Error& error, const fs::path& file, std::string_view kind) {
    EXPECT_EQ(error.code(), Errc::io);
    EXPECT_EQ(error.message(), "File \"" + file.string() + "\" cannot be read: it is " + std::string(kind) +
                                   ", where a regular file is expected.");
  }

  const ScratchFolder folder;
};

TEST_F(PackFiles, APipeAsTheDescriptionIsRefused) {
  const fs::path file = folder.path() / "pack.json";
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  expect_refused(ProgramPack::open(folder.path()).error(), file, "a pipe");
  expect_refused(io::read_recipe(folder.path()).error(), file, "a pipe");
}

TEST_F(PackFiles, APipeAsCodeIsRefused) {
  folder.write("pack.json", description);
  const fs::path file = folder.path() / "code.c";
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  expect_refused(ProgramPack::open(folder.path()).error(), fs::canonical(file), "a pipe");
  expect_refused(io::read_source(file).error(), file, "a pipe");
}

TEST_F(PackFiles, APipeAsAPackIsRefused) {
  const fs::path file = folder.path() / "thing.pack";
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  expect_refused(ProgramPack::open(file).error(), file, "a pipe");
}

TEST_F(PackFiles, ADeviceWithoutEndIsRefused) {
  expect_refused(ProgramPack::open("/dev/zero").error(), "/dev/zero", "a device");
}

TEST_F(PackFiles, AFolderAsCodeIsRefused) {
  folder.write("pack.json", description);
  fs::create_directory(folder.path() / "code.c");
  expect_refused(ProgramPack::open(folder.path()).error(), fs::canonical(folder.path() / "code.c"), "a folder");
}

TEST_F(PackFiles, AFileBeyondTheLimitIsRefusedBeforeItIsRead) {
  const fs::path file = folder.write("thing.pack", "");
  fs::resize_file(file, 5ull << 30);  // of holes
  const auto pack = ProgramPack::open(file);
  ASSERT_FALSE(pack);
  EXPECT_EQ(pack.error().code(), Errc::invalid_argument);
  EXPECT_NE(pack.error().message().find("larger than the limit (4294967296 bytes)"), std::string_view::npos);
}

TEST_F(PackFiles, ALinkToARegularFileIsRead) {
  fs::create_symlink(folder.write("data", "text"), folder.path() / "link");
  EXPECT_EQ(base::text_in(must(base::read_regular_file(folder.path() / "link", 4))), "text");
}

}  // namespace
}  // namespace pintle
