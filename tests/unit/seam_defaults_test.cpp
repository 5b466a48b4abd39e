#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "pintle/backend/driver.h"

namespace pintle {
namespace {

using backend::Commands;
using backend::MemoryId;
using backend::QueueId;
using testing::HasSubstr;

// What a backend must write itself, and nothing more.
class Bare final : public backend::Device {
 public:
  Bare() { info_.id = "bare:3"; }
  [[nodiscard]] const DeviceInfo& info() const noexcept override { return info_; }
  Result<std::vector<Heap>> budget() override { return std::vector<Heap>(); }
  Result<MemoryId> allocate(const backend::MemoryRequest&) override { return MemoryId{1}; }
  void release(MemoryId) noexcept override {}
  Result<backend::ProgramId> load(const backend::ProgramImage&) override { return backend::ProgramId{1}; }
  void unload(backend::ProgramId) noexcept override {}
  Result<QueueId> create_queue(const backend::QueueRequest&) override { return QueueId{1}; }
  void destroy_queue(QueueId) noexcept override {}
  Result<std::uint64_t> submit(QueueId, std::span<const backend::QueuePoint>, const Commands&) override {
    return std::uint64_t{1};
  }
  Result<std::uint64_t> reached(QueueId) override { return std::uint64_t{1}; }
  Result<void> wait(QueueId, std::uint64_t, Deadline) override { return {}; }

 private:
  DeviceInfo info_;
};

template <class T>
void expect_unsupported(const Result<T>& result, std::string_view call) {
  ASSERT_FALSE(result) << call;
  EXPECT_EQ(result.error().code(), Errc::unsupported) << call;
  EXPECT_EQ(result.error().message(), "The call (" + std::string(call) + ") is not implemented by [bare:3].");
  EXPECT_EQ(result.error().device(), "bare:3");
}

TEST(SeamDefaults, EveryOptionalCallIsUnsupportedByName) {
  Bare bare;
  int called = 0;
  const backend::Notification notification{[](void* state) { ++*static_cast<int*>(state); }, &called};
  expect_unsupported(bare.notify(QueueId{1}, 1, notification), "notify");
  expect_unsupported(bare.map(MemoryId{1}), "map");
  expect_unsupported(bare.record({}), "record");
  expect_unsupported(bare.export_memory(MemoryId{1}), "export_memory");
  expect_unsupported(bare.import_memory({}), "import_memory");
  expect_unsupported(bare.wrap_queue({}, {}), "wrap_queue");
  expect_unsupported(bare.calibrate(), "calibrate");
  expect_unsupported(bare.native("x", 0, nullptr), "native");
  expect_unsupported(bare.probe(), "probe");
  bare.unmap(MemoryId{1});
  bare.forget(backend::RecordingId{1});
  EXPECT_EQ(called, 0) << "a refused notification is never told";
}

TEST(SeamDefaults, NamesAreDistinctAndKnown) {
  std::set<std::string_view> features, kinds;
  for (int i = 1; i <= static_cast<int>(Feature::optional_buffers); ++i) features.insert(name(static_cast<Feature>(i)));
  for (int i = 1; i <= static_cast<int>(DeviceKind::simulated); ++i) kinds.insert(name(static_cast<DeviceKind>(i)));
  EXPECT_EQ(features.size(), static_cast<std::size_t>(Feature::optional_buffers));
  EXPECT_EQ(kinds.size(), static_cast<std::size_t>(DeviceKind::simulated));
  EXPECT_FALSE(features.contains("unknown"));
  EXPECT_FALSE(kinds.contains("unknown"));
  EXPECT_EQ(name(Feature::execution), "execution");
  EXPECT_EQ(name(Feature::memory_export), "memory_export");
  EXPECT_EQ(name(Feature::constants), "constants");
  EXPECT_EQ(name(Feature::optional_buffers), "optional_buffers");
  EXPECT_EQ(name(DeviceKind::discrete_gpu), "discrete_gpu");
  EXPECT_EQ(name(DeviceKind::simulated), "simulated");
  EXPECT_EQ(name(Support::native), "native");
  EXPECT_EQ(name(Support::absent), "absent");
  EXPECT_EQ(name(static_cast<Feature>(200)), "unknown");
}

TEST(SeamDefaults, AForgottenCapabilityIsAbsentAndSaysSo) {
  DeviceInfo info;
  info.capabilities = {{Feature::recording, Support::native, ""}, {Feature::timestamp, Support::absent, "no clock"}};
  EXPECT_EQ(info.capability(Feature::recording).support, Support::native);
  EXPECT_EQ(info.capability(Feature::timestamp).detail, "no clock");
  for (int i = 1; i <= static_cast<int>(Feature::optional_buffers); ++i) {
    const auto feature = static_cast<Feature>(i);
    if (feature == Feature::recording || feature == Feature::timestamp) continue;
    const Capability forgotten{feature, Support::absent, "not listed"};
    EXPECT_EQ(info.capability(feature), forgotten) << name(feature);
  }
  EXPECT_EQ(info.capability(static_cast<Feature>(200)).feature, Feature{});
}

TEST(SeamDefaults, CommandNamesFollowTheVariant) {
  EXPECT_STREQ(backend::name(backend::Copy{}), "copy");
  EXPECT_STREQ(backend::name(backend::HostCall{}), "host_call");
  EXPECT_STREQ(backend::name(backend::Replay{}), "replay");
}

TEST(Timeout, TheDefaultIsFiniteAndGivenOnesSaturate) {
  const Deadline before = Clock::now();
  EXPECT_GT(Timeout().deadline(), before);
  EXPECT_LT(Timeout().deadline(), before + std::chrono::hours(25));
  EXPECT_EQ(Timeout::infinite().deadline(), Deadline::max());
  EXPECT_EQ(Timeout(std::chrono::hours::max()).deadline(), Deadline::max());
  EXPECT_GE(Timeout(std::chrono::seconds(-5)).deadline(), before);
  EXPECT_GE(Timeout(std::chrono::seconds(3)).deadline(), before + std::chrono::seconds(3));
}

}  // namespace
}  // namespace pintle
