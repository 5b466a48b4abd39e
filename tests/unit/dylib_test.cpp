#include "base/dylib.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "unit/scratch_folder.h"

namespace pintle::base {
namespace {

constexpr const char* math_library = "libm.so.6";

TEST(Dylib, FindsAFunction) {
  const Dylib library = must(Dylib::open(math_library));
  auto* const cosine = must(library.function<double(double)>("cos"));
  EXPECT_EQ(cosine(0.0), 1.0);
  EXPECT_EQ(library.name(), math_library);
}

TEST(Dylib, MissingLibraryIsUnavailableByPath) {
  const auto library = Dylib::open("/nonexistent/libnothing.so.1");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code(), Errc::unavailable);
  EXPECT_EQ(
      library.error().message(),
      "Library \"/nonexistent/libnothing.so.1\" cannot be opened: /nonexistent/libnothing.so.1: cannot open shared "
      "object file: No such file or directory.");
}

TEST(Dylib, WhatIsNoLibraryIsUnavailable) {
  const test::ScratchFolder folder;
  const auto path =
      folder.write("words.so", "no library at all, but long enough to be read as the header of one ...........");
  const auto library = Dylib::open(path);
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code(), Errc::unavailable);
  EXPECT_NE(library.error().message().find(path.string()), std::string_view::npos);
  EXPECT_NE(library.error().message().find("invalid ELF header"), std::string_view::npos);
}

TEST(Dylib, AnEmptyPathIsRefused) { EXPECT_EQ(Dylib::open("").error().code(), Errc::invalid_argument); }

TEST(Dylib, MissingSymbolNamesTheLibrary) {
  const Dylib library = must(Dylib::open(math_library));
  const auto symbol = library.symbol("pintle_has_no_such_symbol");
  ASSERT_FALSE(symbol);
  EXPECT_EQ(symbol.error().code(), Errc::not_found);
  EXPECT_TRUE(
      symbol.error().message().starts_with("Symbol \"pintle_has_no_such_symbol\" is not in [Library \"libm.so.6\"]: "));
}

TEST(Dylib, TakesTheFirstThatOpens) {
  constexpr std::array names{"libnothing.so.1", math_library, "libc.so.6"};
  EXPECT_EQ(must(Dylib::open_any(names)).name(), math_library);
}

TEST(Dylib, NamesAllThatDoNotOpen) {
  constexpr std::array names{"libnothing.so.1", "libnothing.so"};
  const auto library = Dylib::open_any(names);
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code(), Errc::unavailable);
  EXPECT_NE(library.error().message().find("\"libnothing.so.1\" ("), std::string_view::npos);
  EXPECT_NE(library.error().message().find("\"libnothing.so\" ("), std::string_view::npos);
}

TEST(Dylib, MovingMovesTheLibrary) {
  Dylib first = must(Dylib::open(math_library));
  Dylib second = std::move(first);
  EXPECT_TRUE(second.symbol("sin"));
  EXPECT_EQ(first.symbol("sin").error().code(), Errc::stale);  // NOLINT(bugprone-use-after-move)
  first = std::move(second);
  EXPECT_TRUE(first.symbol("sin"));
}

}  // namespace
}  // namespace pintle::base
