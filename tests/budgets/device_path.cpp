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

CommandList list_of(const bench::Rig& rig, DevicePath::Kind kind) {
  constexpr int launches = 8;
  CommandList list;
  if (kind == DevicePath::Kind::launch) return std::move(list.exec(rig.nothing, Grid{1}));
  for (int i = 0; i < launches; ++i) list.exec(rig.nothing, Grid{1});
  list.fill(Slot{0}, 1u);
  for (int i = 0; i < launches; ++i) list.exec(rig.nothing, Grid{1});
  return list;
}

}  // namespace

DevicePath::DevicePath(std::string_view driver, Kind kind)
    : match_(open_match(driver)),
      kind_(kind),
      buffer_(must(match_.rig.device.allocate(DType::u32, {4}))),
      recording_(must(match_.rig.device.record(list_of(match_.rig, kind)))) {
  must(match_.direct->record(1));
  for (int i = 0; i < device_warm_up; ++i) {
    submit_ours();
    wait_for_ours();
    submit_by_hand();
    wait_by_hand();
  }
}

void DevicePath::submit_ours() {
  done_ = kind_ == Kind::launch ? must(match_.rig.queue.replay(recording_))
                                : must(match_.rig.queue.replay(recording_, {buffer_}));
}
void DevicePath::wait_for_ours() { must(done_.wait()); }
void DevicePath::submit_by_hand() { must(match_.direct->submit()); }
void DevicePath::wait_by_hand() { must(match_.direct->wait()); }

}  // namespace budgets
