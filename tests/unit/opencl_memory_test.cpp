#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "opencl_support.h"
#include "pintle/must.h"
#include "pintle/native/opencl.h"

namespace pintle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

class OpenClMemoryTest : public OpenClTest {};

bool has(const OpenClRig& rig, Feature feature) {
  return rig.device->info().capability(feature).support != Support::absent;
}

TEST_F(OpenClMemoryTest, BudgetCountsWhatIsHeld) {
  on_each([](OpenClRig& rig) {
    const auto used = [&] { return must(rig.device->budget()).at(0).used; };
    EXPECT_EQ(used(), 0u);
    const auto small = rig.allocate(1000), large = rig.allocate(3 << 20, Placement::host);
    EXPECT_EQ(used(), 1000u + (3 << 20));
    rig.device->release(large);
    EXPECT_EQ(used(), 1000u);
    rig.device->release(small);
    EXPECT_EQ(used(), 0u);
    EXPECT_GT(must(rig.device->budget()).at(0).total, rig.device->info().limits.max_allocation / 2);
  });
}

TEST_F(OpenClMemoryTest, MoreThanOneAllocationMayHaveIsRefusedWithBothNumbers) {
  on_each([](OpenClRig& rig) {
    const std::uint64_t most = rig.device->info().limits.max_allocation;
    const auto refused = rig.device->allocate(sized(most + 1));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::out_of_memory);
    EXPECT_THAT(std::string(refused.error().message()),
                AllOf(HasSubstr(std::to_string(most + 1)), HasSubstr(std::to_string(most))));
    EXPECT_EQ(must(rig.device->budget()).at(0).used, 0u);
  });
}

/// Drivers that promise memory which is not there are not asked.
TEST_F(OpenClMemoryTest, MoreThanTheDeviceHasIsRefusedEarly) {
  int asked = 0;
  on_each([&](OpenClRig& rig) {
    const std::uint64_t most = rig.device->info().limits.max_allocation;
    const std::uint64_t total = must(rig.device->budget()).at(0).total;
    if (total > most) return;
    ++asked;
    const auto held = rig.allocate(1 << 20);
    const auto refused = rig.device->allocate(sized(total));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::out_of_memory);
    EXPECT_THAT(std::string(refused.error().message()),
                AllOf(HasSubstr(std::to_string(total)), HasSubstr(std::to_string(total - (1 << 20)))));
    rig.device->release(held);
  });
  if (asked == 0) GTEST_SKIP() << "each device has more memory than one allocation takes";
}

TEST_F(OpenClMemoryTest, FreedMemoryCanBeTakenAgain) {
  on_each([](OpenClRig& rig) {
    for (int i = 0; i < 50; ++i) rig.device->release(rig.allocate(2 << 20));
    EXPECT_EQ(must(rig.device->budget()).at(0).used, 0u);
  });
}

TEST_F(OpenClMemoryTest, AddressesStayAndSeeWhatKernelsWrite) {
  on_each([](OpenClRig& rig) {
    if (!has(rig, Feature::mapped_memory)) return;
    const auto memory = rig.allocate(4096, Placement::host);
    const std::span<std::byte> bytes = must(rig.device->map(memory));
    ASSERT_EQ(bytes.size(), 4096u);
    std::span words(reinterpret_cast<std::uint32_t*>(bytes.data()), 1024);
    std::iota(words.begin(), words.end(), 0u);
    for (std::uint32_t round = 1; round <= 20; ++round) {
      List list;
      rig.add(list, range_of(memory, 0, 4096), 1);
      rig.run(list);
      EXPECT_EQ(must(rig.device->map(memory)).data(), bytes.data());
      EXPECT_EQ(words[7], 7 + 2 * round - 1);
      EXPECT_EQ(words[1023], 1023 + 2 * round - 1);
      for (std::uint32_t& word : words) ++word;
    }
    rig.device->unmap(memory);
    EXPECT_EQ(rig.read<std::uint32_t>(memory, 1024).at(3), 43u);
    rig.device->release(memory);
  });
}

TEST_F(OpenClMemoryTest, MappedMemoryIsAlignedAsAskedFor) {
  on_each([](OpenClRig& rig) {
    if (!has(rig, Feature::mapped_memory)) return;
    for (const std::uint64_t alignment : {1u, 64u, 256u, 4096u}) {
      const auto memory = must(rig.device->allocate({100, alignment, Placement::host, {}}));
      const auto bytes = must(rig.device->map(memory));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % alignment, 0u);
      EXPECT_EQ(bytes.size(), 100u);
      rig.device->release(memory);
    }
  });
}

TEST_F(OpenClMemoryTest, MemoryOfTheDeviceHasNoAddress) {
  on_each([](OpenClRig& rig) {
    const auto memory = rig.allocate(64);
    const auto mapped = rig.device->map(memory);
    ASSERT_FALSE(mapped);
    EXPECT_EQ(mapped.error().code(), Errc::unsupported);
    rig.device->release(memory);
  });
}

TEST_F(OpenClMemoryTest, ImportedHostMemoryIsUsedInPlace) {
  on_each([](OpenClRig& rig) {
    alignas(4096) static std::array<std::uint32_t, 2048> words;
    words.fill(5);
    const auto bytes = std::as_writable_bytes(std::span(words));
    if (!has(rig, Feature::host_import)) {
      EXPECT_EQ(rig.device->import_memory(bytes).error().code(), Errc::unsupported);
      return;
    }
    const auto memory = must(rig.device->import_memory(bytes));
    EXPECT_EQ(must(rig.device->budget()).at(0).used, 0u);
    List list;
    rig.add(list, range_of(memory, 0, 4 * 2048), 2);
    rig.run(list);
    EXPECT_EQ(words[0], 7u);
    EXPECT_EQ(words[2047], 7u);
    words[1] = 100;
    EXPECT_EQ(rig.read<std::uint32_t>(memory, 2).at(1), 100u);
    EXPECT_EQ(must(rig.device->map(memory)).data(), bytes.data());
    rig.device->release(memory);
    EXPECT_EQ(words[0], 7u);
  });
}

TEST_F(OpenClMemoryTest, UnalignedHostMemoryIsNotImported) {
  on_each([](OpenClRig& rig) {
    alignas(4096) static std::array<std::byte, 256> bytes;
    const auto imported = rig.device->import_memory(std::span(bytes).subspan(1));
    ASSERT_FALSE(imported);
    EXPECT_EQ(imported.error().code(), Errc::unsupported);
  });
}

TEST_F(OpenClMemoryTest, ArgumentsBeginWhereTheirRangeDoes) {
  on_each([](OpenClRig& rig) {
    const std::uint32_t step = rig.device->info().limits.offset_alignment;
    constexpr std::uint32_t parts = 100;  // more than are kept
    const auto memory = rig.buffer(Words(parts * step / 4, 0));
    for (int round = 0; round < 2; ++round) {
      List list;
      for (std::uint32_t part = 0; part < parts; ++part) rig.add(list, range_of(memory, part * step, 4), part);
      rig.run(list);
    }
    const Words words = rig.read<std::uint32_t>(memory, parts * step / 4);
    for (std::uint32_t part = 0; part < parts; ++part) EXPECT_EQ(words[part * step / 4], 2 * part);
    EXPECT_EQ(words[1], 0u);
    rig.device->release(memory);
  });
}

/// The driver may give new memory the handle of what has gone.
TEST_F(OpenClMemoryTest, KernelsDoNotTakeNewMemoryForOld) {
  on_each([](OpenClRig& rig) {
    for (std::uint32_t i = 0; i < 50; ++i) {
      const auto memory = rig.buffer(Words(64, i));
      List list;
      rig.add(list, range_of(memory, 0, 256), 1);
      rig.run(list);
      EXPECT_EQ(rig.read<std::uint32_t>(memory, 64), Words(64, i + 1));
      rig.device->release(memory);
    }
  });
}

TEST_F(OpenClMemoryTest, NativeHandlesAreThere) {
  on_each([](OpenClRig& rig) {
    opencl::OpenClDevice device;
    opencl::OpenClMemory memory;
    opencl::OpenClQueue queue;
    const auto buffer = rig.allocate(64);
    must(rig.device->native(opencl::OpenClDevice::native_type, 0, &device));
    must(rig.device->native(opencl::OpenClMemory::native_type, static_cast<std::uint64_t>(buffer), &memory));
    must(rig.device->native(opencl::OpenClQueue::native_type, static_cast<std::uint64_t>(rig.queue), &queue));
    EXPECT_TRUE(device.platform && device.device && device.context && memory.memory && queue.queue);
    const auto unknown = rig.device->native("nobody.thing", 0, &device);
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code(), Errc::unsupported);
    EXPECT_THAT(std::string(unknown.error().message()), AllOf(HasSubstr("nobody.thing"), HasSubstr("opencl.queue")));
    rig.device->release(buffer);
  });
}

}  // namespace
}  // namespace pintle::test
