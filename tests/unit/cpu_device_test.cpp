#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "cpu_support.h"
#include "opencl_c/toolchain.h"
#include "pintle/native/cpu.h"
#include "pintle/pintle.h"

namespace pintle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

DeviceInfo listed() {
  auto found = cpu::create_driver()->enumerate();
  EXPECT_EQ(found.devices.size(), 1u);
  EXPECT_TRUE(found.absences.empty());
  return found.devices.at(0);
}

TEST(CpuDriver, ListsOneDeviceWithEveryFeature) {
  const DeviceInfo info = listed();
  EXPECT_EQ(info.id, "cpu");
  EXPECT_EQ(info.backend, "cpu");
  EXPECT_EQ(info.kind, DeviceKind::cpu);
  std::vector<std::string> formats{"native", "so", "c"};
  if (opencl_c::find_toolchain()) formats.emplace_back("opencl_c");
  EXPECT_EQ(info.formats, formats);
  for (const std::string& target : info.better_targets) EXPECT_THAT(target, HasSubstr("x86_64-v"));
  EXPECT_THAT(info.target, HasSubstr("-linux"));
  EXPECT_FALSE(info.name.empty());
  std::set<Feature> features;
  for (const Capability& row : info.capabilities) {
    EXPECT_TRUE(features.insert(row.feature).second);
    EXPECT_TRUE(row.support == Support::native || !row.detail.empty()) << name(row.feature);
  }
  EXPECT_EQ(features.size(), static_cast<std::size_t>(Feature::optional_buffers));
}

TEST(CpuDriver, HasUsefulLimits) {
  const Limits limits = listed().limits;
  EXPECT_GT(limits.max_allocation, 64u << 20);
  EXPECT_EQ(limits.max_binding, limits.max_allocation);
  EXPECT_EQ(limits.max_grid.x, 0x7fffffffu);
  EXPECT_GE(limits.max_grid.y, 65535u);
  EXPECT_GE(limits.max_grid.z, 65535u);
  EXPECT_EQ(limits.max_in_flight, 1024u);
  EXPECT_EQ(limits.max_local_bytes, 65536u);
}

TEST(CpuDriver, UnknownOptionsAreRefusedWithTheKnownOnes) {
  const auto opened = try_open_cpu({{"fast", ""}});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), Errc::invalid_argument);
  EXPECT_THAT(std::string(opened.error().message()),
              AllOf(HasSubstr("fast"), HasSubstr("inline"), HasSubstr("threads")));
}

TEST(CpuDriver, BadValuesOfOptionsAreRefused) {
  const std::vector<std::vector<Option>> cases{{{"inline", "yes"}},
                                               {{"threads", "0"}},
                                               {{"threads", ""}},
                                               {{"threads", "1025"}},
                                               {{"threads", "-1"}},
                                               {{"threads", "2"}, {"inline", ""}},
                                               {{"inline", ""}, {"inline", ""}}};
  for (const auto& options : cases) {
    const auto opened = try_open_cpu(options);
    ASSERT_FALSE(opened) << options[0].key << "=" << options[0].value;
    EXPECT_EQ(opened.error().code(), Errc::invalid_argument);
  }
}

TEST(CpuDriver, ThereIsOneOrdinal) {
  const auto opened = cpu::create_driver()->open(1, {});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), Errc::not_found);
}

TEST(CpuDevice, ThreadsAreAsManyAsAskedFor) {
  cpu::CpuDevice out;
  must(must(try_open_cpu({{"threads", "3"}}))->native(cpu::CpuDevice::native_type, 0, &out));
  EXPECT_EQ(out.threads, 3u);
  const auto driven = must(try_open_cpu({{"inline", ""}}));
  must(driven->native(cpu::CpuDevice::native_type, 0, &out));
  EXPECT_EQ(out.threads, 0u);
  EXPECT_EQ(driven->info().progress, Progress::driven);
}

TEST(CpuDevice, UnknownNativeTypesAreRefusedByName) {
  CpuRig rig;
  int out = 0;
  const auto answer = rig.device->native("cuda.stream", 0, &out);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Errc::unsupported);
  EXPECT_THAT(std::string(answer.error().message()), AllOf(HasSubstr("cuda.stream"), HasSubstr("cpu.memory")));
}

TEST(CpuMemory, IsMappedAlignedAndNative) {
  CpuRig rig;
  for (const std::uint64_t alignment : {1u, 64u, 256u, 4096u}) {
    const auto memory = must(rig.device->allocate({100, alignment, Placement::device, {}}));
    const auto bytes = must(rig.device->map(memory));
    EXPECT_EQ(bytes.size(), 100u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % std::max<std::uint64_t>(alignment, 64), 0u);
    cpu::CpuMemory native;
    must(rig.device->native(cpu::CpuMemory::native_type, static_cast<std::uint64_t>(memory), &native));
    EXPECT_EQ(native.address, bytes.data());
    rig.device->unmap(memory);
    rig.device->release(memory);
  }
}

TEST(CpuMemory, BudgetCountsWhatTheDeviceHolds) {
  CpuRig rig;
  const auto used = [&] { return must(rig.device->budget()).at(0).used; };
  EXPECT_EQ(used(), 0u);
  const auto first = rig.allocate(1000);
  const auto second = rig.allocate(24);
  EXPECT_EQ(used(), 1024u);
  std::vector<std::byte> host(64);
  const auto imported = must(rig.device->import_memory(host));
  EXPECT_EQ(used(), 1024u);  // the user's
  for (const auto memory : {first, second, imported}) rig.device->release(memory);
  EXPECT_EQ(used(), 0u);
  EXPECT_GT(must(rig.device->budget()).at(0).total, 0u);
}

TEST(CpuMemory, MoreThanThereIsSaysRequestedAndAvailable) {
  CpuRig rig;
  const auto heap = must(rig.device->budget()).at(0);
  const auto answer = rig.device->allocate({heap.total, 1, Placement::device, "everything"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Errc::out_of_memory);
  EXPECT_THAT(std::string(answer.error().message()),
              AllOf(HasSubstr("everything"), HasSubstr(std::to_string(heap.total)), HasSubstr("available")));
}

TEST(CpuMemory, ImportedMemoryIsUsedInPlace) {
  CpuRig rig;
  std::vector<std::uint32_t> host{1, 2, 3, 4};
  const auto memory = must(rig.device->import_memory(std::as_writable_bytes(std::span(host))));
  EXPECT_EQ(must(rig.device->map(memory)).data(), reinterpret_cast<std::byte*>(host.data()));
  rig.run(List({backend::Fill{range_of(memory, 4, 8), scalar_of<std::uint32_t>(9), 4}}));
  EXPECT_EQ(host, (std::vector<std::uint32_t>{1, 9, 9, 4}));
  rig.device->release(memory);
}

TEST(CpuMemory, NativeMemoryIsWrapped) {
  const Device device = must(open("cpu"));
  Queue queue = must(device.create_queue());
  std::vector<std::uint32_t> host{1, 2, 3, 4};
  const Buffer wrapped = must(device.wrap_native(cpu::CpuMemory{host.data()}, DType::u32, {4}));
  must(queue.submit_and_wait(CommandList{}.fill(wrapped, 9u)));
  EXPECT_EQ(host, std::vector<std::uint32_t>(4, 9));
  EXPECT_EQ(device.wrap_native(cpu::CpuMemory{}, DType::u32, {4}).error().code(), Errc::invalid_argument);
  EXPECT_EQ(device.wrap_native(cpu::CpuDevice{}, DType::u32, {4}).error().code(), Errc::unsupported);
  EXPECT_EQ(wrap_native(cpu::CpuDevice{}).error().code(), Errc::unsupported);
}

TEST(CpuMemory, TheSameBytesCanBeImportedTwice) {
  CpuRig rig;
  std::vector<std::byte> host(64);
  const auto first = must(rig.device->import_memory(host));
  const auto second = must(rig.device->import_memory(host));
  EXPECT_NE(first, second);
  rig.device->release(first);
  EXPECT_EQ(must(rig.device->map(second)).data(), host.data());
  rig.device->release(second);
}

TEST(CpuMemory, WhatIsLeftBehindGoesWithTheDevice) {
  CpuRig rig;
  rig.allocate(1 << 20);  // the leak checker watches
}

TEST(CpuDevice, ClockPairIsOneMomentOfTheSteadyClock) {
  CpuRig rig;
  const Deadline before = Clock::now();
  const auto pair = must(rig.device->calibrate());
  EXPECT_LE(before, pair.host);
  EXPECT_LE(pair.host, Clock::now());
  EXPECT_EQ(pair.error, Duration::zero());
  EXPECT_EQ(pair.device_ticks,
            static_cast<std::uint64_t>(std::chrono::duration_cast<Duration>(pair.host.time_since_epoch()).count()));
}

}  // namespace
}  // namespace pintle::test
