// Which entries of a pack a device loads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/must.h"
#include "pintle/native/cpu.h"
#include "pintle/pintle.h"

namespace pintle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The null device takes every format, and groups of at most 1024 items.
constexpr std::string_view small_entry = "small() group 64", large_entry = "large() group 4096";

std::vector<std::string> names_of(const Program& program) {
  std::vector<std::string> names;
  for (const Entry& entry : program.entries()) names.push_back(entry.name);
  return names;
}

TEST(LoadedEntries, AnEntryThatDoesNotFitIsLeftOut) {
  const Device device = must(open("null"));
  const ProgramPack pack = must(ProgramPack::source("c", "code", std::array{large_entry, small_entry}, "two"));
  EXPECT_TRUE(takes(device.info(), pack));
  const Program program = must(device.load(pack));
  EXPECT_THAT(names_of(program), ElementsAre("small"));
  must(must(device.create_queue()).submit(CommandList{}.exec(must(program.kernel("small")), Grid{1})));
  const auto refused = program.kernel("large");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::build_failed);
  EXPECT_THAT(refused.error().message(), HasSubstr("Kernel \"large\" of [Program \"two\"] does not fit the device: its "
                                                   "group (4096,1,1) is larger than the limit (1024,1024,64)."));
  EXPECT_EQ(device.load(pack, "large").error().code(), Errc::build_failed);
}

TEST(LoadedEntries, AVariantThatFitsWholeComesFirst) {
  const Device device = must(open("null"));
  const ProgramPack part = must(ProgramPack::source("a", "code", std::array{large_entry, small_entry}, "two"));
  const ProgramPack whole =
      must(ProgramPack::source("b", "code", std::array{small_entry, std::string_view("large() group 512")}, "two"));
  const Program program = must(device.load(part.with(whole)));
  EXPECT_EQ(program.format(), "b");
  EXPECT_THAT(names_of(program), ElementsAre("small", "large"));
}

TEST(LoadedEntries, WhereAllAreMissingAllAreNamed) {
  const Device device = must(open("cpu"));
  constexpr std::array<std::string_view, 2> entries{"loaded_missing()", "loaded_absent()"};
  const auto refused = device.load(must(ProgramPack::source("native", "", entries, "none")));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::build_failed);
  EXPECT_THAT(refused.error().text(), testing::AllOf(HasSubstr("\"loaded_missing\""), HasSubstr("\"loaded_absent\"")));
}

void kernel_there(const pintle_group*, void* const*) {}

// "native" comes before "c", and lacks a function here.
TEST(LoadedEntries, AVariantWhoseCodeHasEveryEntryComesFirst) {
  must(cpu::register_kernel("loaded_there", kernel_there));
  constexpr std::array<std::string_view, 2> entries{"loaded_there()", "loaded_nowhere()"};
  constexpr std::string_view code =
      "void loaded_there(const pintle_group* g, void* const* a) {}\n"
      "void loaded_nowhere(const pintle_group* g, void* const* a) {}\n";
  const Device device = must(open("cpu"));
  const ProgramPack part = must(ProgramPack::source("native", "", entries, "both"));
  const Program alone = must(device.load(part));
  EXPECT_TRUE(alone.kernel("loaded_there"));
  EXPECT_THAT(alone.kernel("loaded_nowhere").error().message(),
              HasSubstr("Kernel \"loaded_nowhere\" of [Program \"both\"] is not in the code"));
  const Program whole = must(device.load(part.with(must(ProgramPack::source("c", code, entries, "both")))));
  EXPECT_EQ(whole.format(), "c");
  EXPECT_TRUE(whole.kernel("loaded_nowhere"));
}

TEST(LoadedEntries, WhereNoEntryFitsTheDeviceTakesNone) {
  const Device device = must(open("null"));
  const ProgramPack pack = must(ProgramPack::source("c", "code", std::array{large_entry}));
  EXPECT_FALSE(takes(device.info(), pack));
  EXPECT_THAT(device.load(pack).error().message(), HasSubstr("in the entry \"large\" the group (4096,1,1)"));
}

}  // namespace
}  // namespace pintle
