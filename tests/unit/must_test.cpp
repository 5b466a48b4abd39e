// The throwing door: what it says, and where from.
#include "pintle/must.h"

#include <gmock/gmock.h>

#include <string>

namespace pintle::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

Result<int> refused() { return Error(Errc::invalid_argument, "Number (3) is odd."); }

TEST(Must, NamesTheLineThatAskedForTheValue) {
  const auto line = std::to_string(__LINE__ + 2);
  try {
    must(refused());
    FAIL() << "nothing was thrown";
  } catch (const Exception& exception) {
    EXPECT_THAT(exception.what(), StartsWith("Number (3) is odd."));
    EXPECT_THAT(exception.what(), EndsWith("must_test.cpp:" + line));
    EXPECT_THAT(exception.where().file_name(), HasSubstr("must_test.cpp"));
    EXPECT_EQ(std::to_string(exception.where().line()), line);
    EXPECT_NE(exception.error().where().line(), exception.where().line()) << "the error says where it was made";
  }
}

TEST(Must, IsAnExceptionOfTheStandardLibrary) {
  const Result<void> nothing;
  EXPECT_NO_THROW(must(nothing));
  EXPECT_THROW(must(refused()), std::exception);
}

}  // namespace
}  // namespace pintle::test
