#include "budgets/device_path.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace budgets {
namespace {

using namespace pintle;

[[noreturn]] void skip(const std::string& reason) {
  std::printf("skipped: %s\n", reason.c_str());
  std::exit(77);
}

bench::Match open_match(std::string_view driver) {
  const DeviceList listed = must(devices());
  const auto found =
      std::ranges::find_if(listed.devices, [&](const DeviceInfo& device) { return device.driver.starts_with(driver); });
  if (found == listed.devices.end()) skip("no device of the driver " + std::string(driver) + " is here");
  bench::Match match = must(bench::Match::open(found->id));
  if (!match.unfit.empty()) skip(match.unfit);
  return match;
}

}  // namespace

DevicePath::DevicePath(std::string_view driver)
    : match_(open_match(driver)),
      recording_(must(match_.rig.device.record(CommandList{}.exec(match_.rig.nothing, Grid{1})))) {
  must(match_.direct->record(1));
  for (int i = 0; i < device_warm_up; ++i) {
    submit_ours();
    wait_for_ours();
    submit_by_hand();
    wait_by_hand();
  }
}

void DevicePath::submit_ours() { done_ = must(match_.rig.queue.replay(recording_)); }
void DevicePath::wait_for_ours() { must(done_.wait()); }
void DevicePath::submit_by_hand() { must(match_.direct->submit()); }
void DevicePath::wait_by_hand() { must(match_.direct->wait()); }

}  // namespace budgets
