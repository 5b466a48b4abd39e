// Programs in the manner of public ones, with the signatures that `pintle pack` reads from their sources, on the cpu
// and on each device of OpenCL that is there.
#include <gtest/gtest.h>

#include "programs.h"
#include "rig.h"

namespace pintle::test {
namespace {

struct Group {
  std::string name;
  std::vector<Example> (*examples)();
  std::string device;
};

void PrintTo(const Group& group, std::ostream* out) { *out << group.name << " on " << group.device; }

class Programs : public testing::TestWithParam<Group> {};

TEST_P(Programs, DoWhatTheirOraclesDo) {
  auto device = device_if_there(GetParam().device);
  if (!device) GTEST_SKIP() << GetParam().device << " is not there";
  for (const Example& one : GetParam().examples()) expect_right(*device, one);
}

std::vector<Group> groups_on_devices() {
  std::vector<Group> all;
  for (const std::string device : {"cpu", "opencl:pocl", "opencl:rusticl", "opencl:intel"}) {
    for (const auto& [name, examples] :
         std::initializer_list<std::pair<const char*, std::vector<Example> (*)()>>{{"linear", linear},
                                                                                   {"grids", grids},
                                                                                   {"sorting", sorting},
                                                                                   {"science", science},
                                                                                   {"tuned", tuned},
                                                                                   {"quantised", quantised},
                                                                                   {"generated", generated}})
      all.push_back({name, examples, device});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(OpenclC, Programs, testing::ValuesIn(groups_on_devices()), [](const auto& info) {
  return info.param.name + "_" + info.param.device.substr(info.param.device.find(':') + 1);
});

}  // namespace
}  // namespace pintle::test
