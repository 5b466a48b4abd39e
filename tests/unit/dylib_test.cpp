#include "base/dylib.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "base/c_compiler.h"
#include "base/descriptor.h"
#include "base/file.h"
#include "pintle/must.h"
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
  const test::ScratchFolder folder;
  const std::string path = folder.path() / "libnothing.so.1";
  const auto library = Dylib::open(path);
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code(), Errc::unavailable);
  EXPECT_EQ(library.error().message(), "Library \"" + path + "\" cannot be opened: " + path +
                                           ": cannot open shared object file: No such file or directory.");
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

/// A library of one function, which answers `number`.
std::vector<std::byte> library_of(int number) {
  const auto compiler = find_c_compiler();
  if (!compiler) return {};
  const std::vector<std::string> command{compiler->path, "-shared", "-fPIC"};
  return must(compile_c("answer", command, "int answer(void) { return " + std::to_string(number) + "; }\n"));
}

int answer_of(const Dylib& library) { return must(library.function<int()>("answer"))(); }

TEST(Dylib, AnOpenFileIsLoadedWhateverIsAtItsName) {
  const auto one = library_of(1), two = library_of(2);
  if (one.empty()) GTEST_SKIP() << "there is no C compiler";
  const test::ScratchFolder folder;
  const auto path = folder.path() / "answer.so";
  must(write_file(path, one));
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  must(write_file(path, two));
  EXPECT_EQ(answer_of(must(Dylib::open(file.number(), path))), 1);
}

TEST(Dylib, FilesWithOneNumberAreDifferentLibraries) {
  const test::ScratchFolder folder;
  std::vector<Dylib> kept;
  for (int number = 0; number < 4; ++number) {
    const auto code = library_of(number);
    if (code.empty()) GTEST_SKIP() << "there is no C compiler";
    const auto path = folder.path() / std::to_string(number);
    must(write_file(path, code));
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    kept.push_back(must(Dylib::open(file.number(), path)));
    kept.push_back(must(Dylib::open(file.number(), path)));
    EXPECT_EQ(answer_of(kept.back()), number);
  }
  for (int number = 0; number < 4; ++number) EXPECT_EQ(answer_of(kept[static_cast<std::size_t>(2 * number)]), number);
}

TEST(Dylib, ADescriptorThatIsNotOpenIsRefused) {
  EXPECT_EQ(Dylib::open(-1, "nothing.so").error().code(), Errc::invalid_argument);
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
