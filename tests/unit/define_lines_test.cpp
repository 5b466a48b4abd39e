#include "kit/define_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kit/c_literal.h"
#include "pintle/must.h"

namespace pintle::kit {
namespace {

using testing::HasSubstr;

Result<std::string> lines_of(const std::vector<backend::Constant>& constants,
                             const std::vector<backend::Macro>& macros) {
  backend::ProgramImage image;
  image.name = "test";
  image.constants = constants;
  image.source.macros = macros;
  return define_lines(image, &c_literal);
}

TEST(DefineLines, ConstantsAndMacrosStandBeforeTheFirstLine) {
  const ScalarValue value(16u);
  EXPECT_EQ(must(lines_of({{"N", value.dtype, value.bytes}}, {{"TYPE", "unsigned int"}, {"TEXT", "\"a b\""}})),
            "#define N 16u\n#define TYPE unsigned int\n#define TEXT \"a b\"\n#line 1\n");
  EXPECT_EQ(must(lines_of({}, {})), "");
}

TEST(DefineLines, TextThatReachesIntoTheNextLineIsRefused) {
  for (const std::string_view text : {"1\n2", "1\r", "1 \\", "/*", "/* a */ 1 /* b"}) {
    const auto refused = lines_of({}, {{"M", text}});
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
    EXPECT_THAT(std::string(refused.error().message()), HasSubstr("Macro \"M\" of [Program \"test\"]"));
  }
  for (const std::string_view text : {"", "1 // one", "/* a */", "\\ 1"})
    EXPECT_TRUE(lines_of({}, {{"M", text}})) << text;
}

TEST(DefineLines, AConstantWithoutALiteralIsItsError) {
  EXPECT_EQ(lines_of({{"B", DType::bf16, {}}}, {}).error().code(), Errc::unsupported);
}

}  // namespace
}  // namespace pintle::kit
