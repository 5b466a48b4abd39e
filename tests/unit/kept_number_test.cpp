// Numbers that processes keep for later ones.
#include "base/kept_number.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "scratch_folder.h"

namespace pintle::base {
namespace {

using testing::Optional;

class KeptNumber : public testing::Test {
 protected:
  [[nodiscard]] std::optional<std::uint64_t> kept(std::string_view subject) const {
    return kept_number(path_, subject);
  }
  [[nodiscard]] Result<void> keep(std::string_view subject, std::uint64_t number) const {
    return keep_number(path_, subject, number);
  }
  /// The one file.
  [[nodiscard]] std::filesystem::path file() const { return std::filesystem::directory_iterator(path_)->path(); }

  test::ScratchFolder scratch_;
  const std::filesystem::path path_ = scratch_.path() / "cache";
};

TEST_F(KeptNumber, StaysForItsSubject) {
  EXPECT_EQ(kept("a"), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(path_));
  ASSERT_TRUE(keep("a", 5));
  ASSERT_TRUE(keep("b", ~std::uint64_t{0}));
  EXPECT_THAT(kept("a"), Optional(5u));
  EXPECT_THAT(kept("b"), Optional(~std::uint64_t{0}));
  ASSERT_TRUE(keep("a", 0));
  EXPECT_THAT(kept("a"), Optional(0u));
  EXPECT_EQ(kept("c"), std::nullopt);
  EXPECT_EQ(kept_number({}, "a"), std::nullopt);
  EXPECT_EQ(keep_number({}, "a", 5).error().code(), Errc::unavailable);
}

TEST_F(KeptNumber, WhatIsNoNumberIsNone) {
  ASSERT_TRUE(keep("a", 5));
  for (const char* text : {"", "5 ", "-5", "five", "123456789012345678901"}) {
    std::ofstream(file(), std::ios::trunc) << text;
    EXPECT_EQ(kept("a"), std::nullopt) << text;
  }
}

TEST_F(KeptNumber, WhatOthersCanWriteIsNone) {
  ASSERT_TRUE(keep("a", 5));
  ASSERT_EQ(::chmod(file().c_str(), 0666), 0);
  EXPECT_EQ(kept("a"), std::nullopt);
  ASSERT_EQ(::chmod(file().c_str(), 0600), 0);
  EXPECT_THAT(kept("a"), Optional(5u));
  ASSERT_EQ(::chmod(path_.c_str(), 0777), 0);
  EXPECT_EQ(kept("a"), std::nullopt);
  EXPECT_EQ(keep("a", 6).error().code(), Errc::unavailable);
}

}  // namespace
}  // namespace pintle::base
