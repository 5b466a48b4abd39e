// Memory of Vulkan devices: placement, alignment, accounting, sharing.
#include <gmock/gmock.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "pintle/must.h"
#include "pintle/native/vulkan.h"
#include "vulkan_support.h"

namespace pintle::test {
namespace {

using backend::MemoryId;
using testing::HasSubstr;

class VulkanMemoryTest : public VulkanTest {};

std::uint64_t used(backend::Device& device) {
  const auto heaps = must(device.budget());
  return std::accumulate(heaps.begin(), heaps.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Heap& heap) { return sum + heap.used; });
}

TEST_F(VulkanMemoryTest, HostMemoryIsMappedAligned) {
  each([](VulkanRig& rig) {
    for (const std::uint64_t size : {1ull, 100ull, 5000ull, 5ull << 20}) {
      for (std::uint64_t alignment = 1; alignment <= 4096; alignment *= 4) {
        const auto memory = must(rig.device->allocate({size, alignment, Placement::host, "host"}));
        const auto bytes = must(rig.device->map(memory));
        EXPECT_EQ(bytes.size(), size);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % alignment, 0u) << alignment;
        bytes.back() = std::byte{1};
        rig.device->unmap(memory);
        rig.device->release(memory);
      }
    }
  });
}

TEST_F(VulkanMemoryTest, MappedBytesAreTheDevices) {
  each([](VulkanRig& rig) {
    const auto memory = must(rig.device->allocate({64, 1, Placement::host, "host"}));
    const auto bytes = must(rig.device->map(memory));
    std::ranges::fill(bytes, std::byte{7});
    EXPECT_EQ(rig.read<std::uint8_t>(memory, 0, 64), std::vector<std::uint8_t>(64, 7));
    rig.write(memory, 3, std::vector<std::uint8_t>{9});
    EXPECT_EQ(bytes[3], std::byte{9});
    EXPECT_EQ(bytes[4], std::byte{7});
  });
}

TEST_F(VulkanMemoryTest, BuffersDoNotOverlap) {
  each([](VulkanRig& rig) {
    std::vector<MemoryId> all;
    for (std::uint8_t i = 0; i < 50; ++i)
      all.push_back(rig.buffer(std::vector<std::uint8_t>(std::size_t{1} << (i % 12), i)));
    for (std::uint8_t i = 0; i < 50; ++i) {
      const std::size_t size = std::size_t{1} << (i % 12);
      EXPECT_EQ(rig.read<std::uint8_t>(all[i], 0, size), std::vector<std::uint8_t>(size, i));
    }
  });
}

TEST_F(VulkanMemoryTest, TheBudgetCountsWhatIsHeld) {
  each([](VulkanRig& rig) {
    const std::uint64_t before = used(*rig.device);
    const auto small = rig.allocate(1000), large = rig.allocate(10 << 20);
    EXPECT_EQ(used(*rig.device), before + 1000 + (10 << 20));
    rig.device->release(small);
    rig.device->release(large);
    EXPECT_EQ(used(*rig.device), before);
    for (const Heap& heap : must(rig.device->budget())) {
      EXPECT_FALSE(heap.name.empty());
      EXPECT_FALSE(heap.source.empty());
      EXPECT_LE(heap.available.value(), heap.total);
    }
  });
}

TEST_F(VulkanMemoryTest, ReleasedMemoryIsUsedAgain) {
  each([](VulkanRig& rig) {
    const auto available = [&] { return must(rig.device->budget()).front().available.value(); };
    const auto keep = rig.allocate(64);
    const std::uint64_t before = available();
    for (int round = 0; round < 200; ++round) {
      std::vector<MemoryId> all;
      for (int i = 0; i < 20; ++i) all.push_back(rig.allocate(100000));
      for (const MemoryId memory : all) rig.device->release(memory);
    }
    EXPECT_EQ(available(), before);
    rig.device->release(keep);
  });
}

// A driver that gives nothing more is not the end: the numbers are told, and what is freed can be had again.
TEST_F(VulkanMemoryTest, ExhaustionTellsRequestedAndAvailableBytes) {
  each([](VulkanRig& rig) {
    if (rig.device->info().kind != DeviceKind::software) return;
    const std::uint64_t size = rig.device->info().limits.max_allocation / 4 * 3;
    std::vector<MemoryId> all;
    auto more = rig.device->allocate({size, 1, Placement::device, "big"});
    for (int i = 0; more && i < 16; ++i) {
      all.push_back(*more);
      more = rig.device->allocate({size, 1, Placement::device, "big"});
    }
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().code(), Errc::out_of_memory);
    EXPECT_THAT(more.error().text(), HasSubstr(std::to_string(size)));
    EXPECT_THAT(more.error().text(), HasSubstr("\"big\""));
    EXPECT_THAT(more.error().text(), HasSubstr("available"));
    for (const MemoryId memory : all) rig.device->release(memory);
    rig.device->release(must(rig.device->allocate(sized(1 << 20))));
  });
}

TEST_F(VulkanMemoryTest, HostPagesAreUsedInPlace) {
  each([](VulkanRig& rig) {
    constexpr std::size_t size = 1 << 16;
    auto* const pages = static_cast<std::byte*>(::aligned_alloc(1 << 16, size));
    const std::span<std::byte> bytes(pages, size);
    std::ranges::fill(bytes, std::byte{3});
    const auto imported = rig.device->import_memory(bytes);
    if (!rig.has(Feature::host_import)) {
      EXPECT_FALSE(imported);
    } else {
      ASSERT_TRUE(imported) << imported.error().text();
      EXPECT_EQ(rig.read<std::uint8_t>(*imported, 100, 10), std::vector<std::uint8_t>(10, 3));
      rig.write(*imported, 200, std::vector<std::uint8_t>{5, 6});
      EXPECT_EQ(pages[200], std::byte{5});
      EXPECT_EQ(pages[201], std::byte{6});
      rig.device->release(*imported);
    }
    const auto odd = rig.device->import_memory(bytes.subspan(1, 100));
    ASSERT_FALSE(odd);
    EXPECT_EQ(odd.error().code(), Errc::unsupported);
    ::free(pages);
  });
}

TEST_F(VulkanMemoryTest, ExportedMemoryIsSharedWithAnotherDevice) {
  each([](VulkanRig& rig) {
    const std::uint32_t ordinal = static_cast<std::uint32_t>(std::stoul(rig.device->info().id.substr(7)));
    VulkanRig other(ordinal);
    for (const std::uint64_t size : {std::uint64_t{5000}, std::uint64_t{6} << 20}) {
      rig.allocate(300);
      const auto memory = rig.allocate(size);
      const auto exported = rig.device->export_memory(memory);
      if (!rig.has(Feature::memory_export)) {
        ASSERT_FALSE(exported);
        EXPECT_EQ(exported.error().code(), Errc::unsupported);
        return;
      }
      ASSERT_TRUE(exported) << exported.error().text();
      EXPECT_EQ(exported->size, size);
      rig.write(memory, 8, std::vector<std::uint32_t>{11, 12, 13});
      const auto imported = other.device->import_memory(*exported);
      ASSERT_TRUE(imported) << imported.error().text();
      EXPECT_EQ(other.read<std::uint32_t>(*imported, 8, 3), (std::vector<std::uint32_t>{11, 12, 13}));
      other.write(*imported, 12, std::vector<std::uint32_t>{99});
      EXPECT_EQ(rig.read<std::uint32_t>(memory, 8, 3), (std::vector<std::uint32_t>{11, 99, 13}));
      other.device->release(*imported);
      ::close(exported->fd);
    }
  });
}

}  // namespace
}  // namespace pintle::test
