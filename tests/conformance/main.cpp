// The suite under GoogleTest: every case on every device, as "Signal.WaitBeforeSignal/cpu".
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/rig.h"
#include "pintle/device.h"

namespace pintle::conformance {
namespace {

// S1: one suite, on two backends and on every layer over them.
constexpr std::array<std::string_view, 9> always{
    "null",       "cpu",         "cpu?inline",     "validate(cpu)",       "faulty(cpu)",
    "trace(cpu)", "bounds(cpu)", "validate(null)", "validate(cpu?inline)"};

/// Devices are opened by the first case that needs them and closed together at the end.
class Rigs {
 public:
  Result<Rig*> on(const std::string& device) {
    auto& rig = rigs_[device];
    if (rig == nullptr) {
      PINTLE_ASSIGN(opened, Rig::open(device));
      rig = std::move(opened);
    }
    return rig.get();
  }
  void close() { rigs_.clear(); }

  std::set<std::string> required;

 private:
  std::map<std::string, std::unique_ptr<Rig>> rigs_;
};

class DeviceTest : public testing::Test {
 public:
  DeviceTest(const Case& tested, std::string device, Rigs& rigs)
      : tested_(tested), device_(std::move(device)), rigs_(rigs) {}

  void TestBody() override {
    auto rig = rigs_.on(device_);
    if (!rig) FAIL() << rig.error().text();
    const ConformRow row = (*rig)->run(tested_, rigs_.required.contains(device_) ? Missing::failed : Missing::skipped);
    if (row.result == Outcome::failed) FAIL() << row.message;
    if (row.result == Outcome::gap) GTEST_SKIP() << "gap: " << row.message;
    if (row.result == Outcome::skipped) GTEST_SKIP() << row.message;
  }

 private:
  const Case& tested_;
  std::string device_;
  Rigs& rigs_;
};

/// "validate(cpu?inline)" -> "validate_cpu_inline": ctest and --gtest_filter take it without quoting.
std::string test_suffix(std::string_view device) {
  std::string name;
  for (const char letter : device) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) name += letter;
    else if (!name.empty() && name.back() != '_') name += '_';
  }
  while (name.ends_with('_')) name.pop_back();
  return name;
}

Result<std::vector<std::string>> device_ids(const std::set<std::string>& required) {
  std::vector<std::string> ids(always.begin(), always.end());
  const auto add = [&](const std::string& id) {
    if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
  };
  PINTLE_ASSIGN(listed, devices());
  for (const DeviceInfo& info : listed.devices) add(info.id);
  std::ranges::for_each(required, add);
  return ids;
}

void register_cases(const std::vector<std::string>& ids, Rigs& rigs) {
  for (const Case& tested : all_cases()) {
    for (const std::string& id : ids) {
      const std::string title = std::string(tested.title) + "/" + test_suffix(id);
      testing::RegisterTest(std::string(tested.suite).c_str(), title.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [&tested, id, &rigs]() -> DeviceTest* { return new DeviceTest(tested, id, rigs); });
    }
  }
}

// S5: a report says which devices it is about. On standard error: listing tests must print nothing else.
void say_what_runs(const std::vector<std::string>& ids, const std::set<std::string>& required) {
  std::cerr << "conformance: " << all_cases().size() << " cases on";
  for (const std::string& id : ids) std::cerr << ' ' << id << (required.contains(id) ? " (required)" : "");
  std::cerr << '\n';
}

/// `--require DEVICE`, any number of times. What is left is refused.
bool read_arguments(int count, char** arguments, std::set<std::string>& required) {
  for (int i = 1; i < count; i += 2) {
    if (std::string_view(arguments[i]) != "--require" || i + 1 == count) return false;
    required.insert(arguments[i + 1]);
  }
  return true;
}

int run(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  Rigs rigs;
  if (!read_arguments(count, arguments, rigs.required)) {
    std::cerr << "usage: conformance [--require DEVICE]... [GOOGLETEST OPTIONS]\n";
    return 2;
  }
  const auto ids = device_ids(rigs.required);
  if (!ids) {
    std::cerr << ids.error().text() << '\n';
    return 2;
  }
  register_cases(*ids, rigs);
  say_what_runs(*ids, rigs.required);
  const int result = RUN_ALL_TESTS();
  rigs.close();
  return result;
}

}  // namespace
}  // namespace pintle::conformance

int main(int count, char** arguments) { return pintle::conformance::run(count, arguments); }
