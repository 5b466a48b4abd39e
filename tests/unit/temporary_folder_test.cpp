#include "base/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "base/file.h"
#include "base/platform.h"
#include "pintle/must.h"

namespace pintle::base {
namespace {

TEST(TemporaryFolder, GoesWithAllThatIsInIt) {
  std::string file;
  {
    const auto folder = must(TemporaryFolder::create());
    file = folder / "result";
    must(write_file(file, bytes_in("text")));
    EXPECT_EQ(std::filesystem::status(folder / "").permissions(), std::filesystem::perms::owner_all);
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(file).parent_path()));
}

TEST(TemporaryFolder, MovesWithItsOwner) {
  auto first = must(TemporaryFolder::create());
  const std::string place = first / "";
  {
    const TemporaryFolder second = std::move(first);
    EXPECT_EQ(second / "", place);
    EXPECT_TRUE(std::filesystem::exists(place));
  }
  EXPECT_FALSE(std::filesystem::exists(place));
}

TEST(TemporaryFolder, TwoAreTwo) {
  const auto one = must(TemporaryFolder::create()), two = must(TemporaryFolder::create());
  EXPECT_NE(one / "", two / "");
}

TEST(Platform, AMachineIsAProcessorAndASystem) {
  const std::string name = machine();
  EXPECT_TRUE(name.ends_with("-linux")) << name;
  EXPECT_GT(name.size(), std::string("-linux").size());
}

}  // namespace
}  // namespace pintle::base
