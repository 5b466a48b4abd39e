#include "base/c_entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/c_compiler.h"
#include "base/c_value_types.h"
#include "base/subprocess.h"
#include "pintle/must.h"

namespace pintle::base {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view of_gcc =
    "k.c:5:27: error: initialization of ‘struct pintle_ask_kk * const’ from incompatible pointer type ‘void (*)(int)’\n"
    "k.c:6:45: warning: initialization of ‘struct pintle_ask_k * const’ from incompatible pointer type ‘void (*)(const "
    "pintle_group *, camera,  const camera *,  const float * restrict,  int (*)(int,  int))’ {aka ‘void (*)(const "
    "struct pintle_group *, struct <anonymous>)’} [-Wincompatible-pointer-types]\n";
constexpr std::string_view of_clang =
    "k.c:5:19: warning: incompatible pointer types initializing 'struct pintle_ask_k *const' with an expression of "
    "type "
    "'void (*)(const pintle_group *, camera, const camera *, f4)' (aka 'void (*)(const struct pintle_group *, "
    "camera)')\n";

TEST(CValueTypes, AreReadFromTheWordsOfBothCompilers) {
  EXPECT_THAT(c_types_in(of_gcc, "k"),
              ElementsAre("camera", "const camera *", "const float * restrict", "int (*)(int,  int)"));
  EXPECT_THAT(c_types_in(of_clang, "k"), ElementsAre("camera", "const camera *", "f4"));
  EXPECT_THAT(c_types_in(of_gcc, "kk"), IsEmpty());
  EXPECT_THAT(c_types_in(of_gcc, "other"), IsEmpty());
  EXPECT_THAT(c_types_in("", "k"), IsEmpty());
}

TEST(CValueTypes, AnArrayOfAddressesHasNone) {
  for (const std::string type : {"void * const*", "void *const *"}) {
    const std::string words = "struct pintle_ask_k *const' 'void (*)(const pintle_group *, " + type + ")'\n";
    EXPECT_THAT(c_types_in(words, "k"), IsEmpty());
  }
}

TEST(CValueTypes, WordsThatEndTooEarlyHaveNone) {
  EXPECT_THAT(c_types_in("struct pintle_ask_k *const' 'void (*)(const pintle_group *, camera", "k"), IsEmpty());
  EXPECT_THAT(c_types_in("struct pintle_ask_k *const' of another kind\n", "k"), IsEmpty());
}

/// All that a compilation depends on is in the text: also what only the check of a value reads.
TEST(CEntries, TheTextHasTheWholeSignature) {
  const auto text = [](std::string_view signature) {
    return with_entries("", std::vector<Entry>{must(Entry::parse(signature))});
  };
  EXPECT_NE(text("k(c: bytes[8] align 4)"), text("k(c: bytes[12] align 4)"));
  EXPECT_NE(text("k(c: { x: f32, y: f32 })"), text("k(c: { x: f32, z: f32 })"));
  EXPECT_THAT(text("k(c: f32x4)"), HasSubstr("k(c: f32x4)"));
}

constexpr std::string_view clang_first = "// pintle: compiler clang\nint f(void) { return 1; }\n";

TEST(CCompiler, ASourceNamesTheOneThatItNeeds) {
  const auto clang = find_c_compiler(clang_first);
  if (!clang && clang.error().code() == Errc::unavailable) GTEST_SKIP() << clang.error().text();
  EXPECT_THAT(must(find_c_compiler(clang_first)).version, HasSubstr("clang"));
  EXPECT_THAT(must(find_c_compiler("/* A kernel. */\n// pintle: compiler clang \r\n")).version, HasSubstr("clang"));
  std::string below(10, '\n');
  below += clang_first;
  EXPECT_EQ(must(find_c_compiler(below)).path, must(find_c_compiler()).path);
}

TEST(CCompiler, AnUnknownOneIsRefusedByName) {
  const auto refused = find_c_compiler("// pintle: compiler icc\n");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::build_failed);
  EXPECT_THAT(refused.error().text(), AllOf(HasSubstr("\"icc\""), HasSubstr("gcc and clang")));
}

/// The settings and the path are read by a process of its own.
class CCompilerDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(CCompilerDeathTest, OneThatIsMissingIsNamed) {
  EXPECT_EXIT(
      {
        setenv("PATH", "/nowhere", 1);
        std::fputs(find_c_compiler("// pintle: compiler clang\n").error().text().c_str(), stderr);
        std::exit(0);
      },
      testing::ExitedWithCode(0),
      "needs the C compiler clang, which none of these is: \"clang\", \"cc\"\\. Install clang");
}

TEST_F(CCompilerDeathTest, AnotherFamilyDoesNotDo) {
  EXPECT_EXIT(
      {
        setenv("PINTLE_CC", find_program("gcc").value().c_str(), 1);
        setenv("PATH", "/nowhere", 1);
        std::fputs(find_c_compiler("// pintle: compiler clang\n").error().text().c_str(), stderr);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "which none of these is: \".*gcc\"");
}

TEST(Preprocess, HasTheTextOfIncludedFiles) {
  const CCompiler compiler = must(find_c_compiler());
  std::vector<std::string> command = compiler.command;
  command.emplace_back("-DN=7");
  EXPECT_THAT(must(preprocess_c("p", command, "#include <stddef.h>\nint x = N;\n")),
              AllOf(HasSubstr("int x = 7;"), HasSubstr("size_t")));
  const auto refused = preprocess_c("p", command, "#include \"nowhere.h\"\n");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::build_failed);
  EXPECT_THAT(refused.error().text(), HasSubstr("nowhere.h"));
}

}  // namespace
}  // namespace pintle::base
