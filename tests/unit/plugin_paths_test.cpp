#include "base/plugin_paths.h"

#include <gmock/gmock.h>

#include <string>

#include "base/platform.h"

namespace pintle::base {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PluginPaths, AreBesideTheLibraryThenBesideTheProgram) {
  EXPECT_THAT(plugin_paths("p.so", "/opt/pintle/lib", "/home/someone/job"),
              ElementsAre("/opt/pintle/lib/p.so", "/opt/pintle/lib/pintle/p.so", "/home/someone/job/p.so",
                          "/home/someone/job/pintle/p.so"));
  EXPECT_THAT(plugin_paths("p.so", "", "/job"), ElementsAre("/job/p.so", "/job/pintle/p.so"));
  EXPECT_THAT(plugin_paths("p.so", "", ""), IsEmpty());
}

TEST(PluginPaths, AreInLibBesideBinAndInDebiansLibOfTheMachine) {
  EXPECT_THAT(plugin_paths("p.so", "/usr/bin", "/usr/bin"),
              ElementsAre("/usr/bin/p.so", "/usr/bin/pintle/p.so", "/usr/lib/p.so", "/usr/lib/pintle/p.so",
                          "/usr/lib/" + machine() + "-gnu/pintle/p.so"));
}

}  // namespace
}  // namespace pintle::base
