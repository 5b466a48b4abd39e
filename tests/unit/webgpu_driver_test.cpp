// The webgpu backend through the seam: what the conformance suite does not reach.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "webgpu_support.h"

namespace pintle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Bytes = std::vector<std::byte>;
using Words = std::vector<std::uint32_t>;

constexpr std::string_view add_to = R"(
struct Scalars { add: u32, n: u32 }
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> place: array<u32>;
@group(0) @binding(2) var<uniform> scalars: Scalars;
@compute @workgroup_size(64) fn add_to(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < scalars.n) { place[id.x] = source[id.x] + scalars.add; }
}
)";
constexpr const char* add_to_signature = "add_to(from: read u32[], to: write u32[], add: u32, n: u32) group 64";

class WebgpuDriverTest : public WebgpuTest {};

Bytes random_bytes(std::mt19937& random, std::size_t count) {
  Bytes bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 0xff);
  return bytes;
}

TEST_F(WebgpuDriverTest, ListsWhatItIsAndWhatItLacks) {
  const backend::Enumeration found = webgpu_driver().enumerate();
  for (const DeviceInfo& info : found.devices) {
    EXPECT_EQ(info.backend, "webgpu");
    EXPECT_EQ(info.uuid.size(), 32U);
    EXPECT_EQ(info.formats.front(), "wgsl");
    EXPECT_GE(info.limits.max_buffers, 8U);
    for (const Capability& row : info.capabilities) {
      EXPECT_TRUE(row.support == Support::native || !row.detail.empty()) << name(row.feature);
    }
  }
}

TEST_F(WebgpuDriverTest, ASizeOfSubgroupsIsPromisedWhereAllHaveIt) {
  const std::string body = R"(
@group(0) @binding(0) var<storage, read_write> place: array<u32>;
@compute @workgroup_size(64) fn count(@builtin(local_invocation_index) i: u32) { place[i] = subgroupAdd(1u); }
)";
  each([&](WebgpuRig& rig) {
    const Limits& limits = rig.device->info().limits;
    if (!rig.has(Feature::subgroups)) {
      EXPECT_EQ(limits.max_subgroup, 1U);
      EXPECT_FALSE(rig.try_wgsl(body, {"count(to: write u32[]) group 64"}));
      return;
    }
    const auto load = [&](const std::string& text, const std::string& option) {
      return rig.try_wgsl(text, {"count(to: write u32[]) group 64" + option});
    };
    const std::string standard = "enable subgroups;" + body;  // which wgpu-native refuses
    const std::string& text = load(standard, "") ? standard : body;
    const auto memory = rig.buffer(Words(64));
    rig.run(launch(must(load(text, "")), 0, {1, 1, 1}, {buffer_argument(range_of(memory, 0, 256))}));
    for (const std::uint32_t items : rig.read<std::uint32_t>(memory, 0, 64)) {
      EXPECT_GE(items, std::min(limits.min_subgroup, 64U));
      EXPECT_LE(items, limits.max_subgroup);
    }
    const auto sized = load(text, " subgroup " + std::to_string(limits.min_subgroup));
    EXPECT_EQ(bool(sized), limits.min_subgroup == limits.max_subgroup);
    if (!sized) {
      EXPECT_THAT(sized.error().text(), AllOf(HasSubstr("\"count\""), HasSubstr("the implementation chooses from")));
    }
  });
}

TEST_F(WebgpuDriverTest, WrongCodeIsBuildFailedWithLineAndColumn) {
  each([](WebgpuRig& rig) {
    const auto loaded = rig.try_wgsl("@compute @workgroup_size(1)\nfn broken() { let a = nowhere; }", {"broken()"});
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code(), Errc::build_failed) << loaded.error().text();
    EXPECT_THAT(std::string(loaded.error().message()),
                AllOf(HasSubstr("[Program \"test\"]"), HasSubstr("nowhere"), HasSubstr(":2:")));
    EXPECT_TRUE(rig.try_wgsl(add_to, {add_to_signature}));
  });
}

TEST_F(WebgpuDriverTest, DifferencesFromTheSignatureAreRefusedByName) {
  each([](WebgpuRig& rig) {
    const auto refused = [&](const std::string& signature, const std::string& words) {
      const auto loaded = rig.try_wgsl(add_to, {signature});
      ASSERT_FALSE(loaded) << signature;
      EXPECT_EQ(loaded.error().code(), Errc::invalid_argument) << loaded.error().text();
      EXPECT_THAT(std::string(loaded.error().message()), HasSubstr(words));
    };
    refused("add_to(from: read u32[], to: write u32[], add: u32, n: u32) group 32", "(64,1,1)");
    refused("add_to(from: read f32[], to: write u32[], add: u32, n: u32) group 64", "\"from\"");
    refused("add_to(from: write u32[], to: write u32[], add: u32, n: u32) group 64", "only reads");
    refused("add_to(from: read u32[], to: read u32[], add: u32, n: u32) group 64", "writes");
    refused("add_to(from: read u32[], to: write u32[], n: u32, add: u32) group 64", "\"add\"");
    refused("add_to(from: read u32[], to: write u32[], add: f32, n: u32) group 64", "\"add\"");
    refused("add_to(from: read u32[], add: u32, n: u32) group 64", "place");
    refused("other(from: read u32[], to: write u32[], add: u32, n: u32) group 64", "\"other\"");
  });
}

TEST_F(WebgpuDriverTest, OneBufferIsReadAndWrittenInOneLaunch) {
  each([](WebgpuRig& rig) {
    const auto program = must(rig.try_wgsl(add_to, {add_to_signature}));
    const std::uint64_t alignment = rig.device->info().limits.offset_alignment;
    const std::size_t words = alignment / 4;
    const auto memory = rig.buffer(Words(words * 2, 5));
    rig.run(launch(
        program, 0, {1, 1, 1},
        {buffer_argument(range_of(memory, 0, alignment)), buffer_argument(range_of(memory, alignment, alignment)),
         scalar_argument(2u), scalar_argument(static_cast<std::uint32_t>(std::min<std::size_t>(words, 64)))}));
    const Words result = rig.read<std::uint32_t>(memory, 0, words + 1);
    EXPECT_EQ(result[0], 5U);
    EXPECT_EQ(result[words], 7U);
  });
}

TEST_F(WebgpuDriverTest, OverridesAreConstantsByName) {
  constexpr std::string_view code = R"(
override width: u32 = 1;
@id(3) override factor: f32 = 1.0;
override on: bool = false;
@group(0) @binding(0) var<storage, read_write> place: array<f32>;
@compute @workgroup_size(width) fn put(@builtin(local_invocation_index) i: u32) { place[i] = select(0.0, factor * f32(i), on); }
)";
  each([&](WebgpuRig& rig) {
    const std::vector<backend::Constant> constants{{"factor", DType::f32, scalar_of(2.5f)},
                                                   {"on", DType::boolean, scalar_of(std::uint8_t{1})}};
    const auto program = must(rig.try_wgsl(code, {"put(to: write f32[]) group 4"}, constants));
    const auto memory = rig.buffer(std::vector<float>(4, 9.f));
    rig.run(launch(program, 0, {1, 1, 1}, {buffer_argument(range_of(memory, 0, 16))}));
    EXPECT_EQ(rig.read<float>(memory, 0, 4), (std::vector<float>{0.f, 2.5f, 5.f, 7.5f}));
    EXPECT_FALSE(rig.try_wgsl(code, {"put(to: write f32[]) group 4"}, {{"nobody", DType::f32, {}}}));
  });
}

TEST_F(WebgpuDriverTest, ArgumentSmallerThanAnElementIsRefusedByName) {
  constexpr std::string_view code = R"(
@group(0) @binding(0) var<storage, read_write> place: array<mat4x4<f32>>;
@compute @workgroup_size(1) fn put() { place[0] = mat4x4<f32>(); }
)";
  each([&](WebgpuRig& rig) {
    const auto program = must(rig.try_wgsl(code, {"put(to: write f32[])"}));
    const auto memory = rig.allocate(16);
    const auto submitted =
        rig.device->submit(rig.queue, {}, launch(program, 0, {1, 1, 1}, {buffer_argument(range_of(memory, 0, 16))}));
    ASSERT_FALSE(submitted);
    EXPECT_EQ(submitted.error().code(), Errc::invalid_argument);
    EXPECT_THAT(std::string(submitted.error().message()), AllOf(HasSubstr("(16)"), HasSubstr("64 bytes")));
  });
}

// Copies, fills and transfers at every offset within a word, compared with the same on the host.
TEST_F(WebgpuDriverTest, BytesAreExactWhereverTheyLie) {
  each([](WebgpuRig& rig) {
    std::mt19937 random(36);
    constexpr std::size_t size = 999;
    std::vector<Bytes> expected{random_bytes(random, size), random_bytes(random, size)};
    const std::vector memories{rig.buffer(expected[0]), rig.buffer(expected[1])};
    for (int step = 0; step < 120; ++step) {
      const std::size_t to = random() % 2, from = random() % 2, count = random() % 64 + 1;
      const std::size_t target = random() % (size / 2 - count), source = size / 2 + random() % (size / 2 - count);
      const auto place = expected[to].begin() + static_cast<std::ptrdiff_t>(target);
      if (step % 3 == 0) {
        rig.run(List({backend::Copy{range_of(memories[to], target, count), range_of(memories[from], source, count)}}));
        const Bytes copied(expected[from].begin() + static_cast<std::ptrdiff_t>(source),
                           expected[from].begin() + static_cast<std::ptrdiff_t>(source + count));
        std::ranges::copy(copied, place);
      } else if (step % 3 == 1) {
        const std::size_t unit = std::size_t{1} << random() % 4, begin = target / unit * unit,
                          whole = (count + unit - 1) / unit * unit;
        backend::Fill fill;
        fill.to = range_of(memories[to], begin, whole);
        fill.pattern_size = static_cast<std::uint32_t>(unit);
        for (std::byte& byte : fill.pattern.bytes) byte = static_cast<std::byte>(random() & 0xff);
        rig.run(List({fill}));
        for (std::size_t at = 0; at < whole; ++at) expected[to][begin + at] = fill.pattern.bytes[at % unit];
      } else {
        const Bytes bytes = random_bytes(random, count);
        rig.run(List({WebgpuRig::upload(memories[to], target, bytes)}));
        std::ranges::copy(bytes, place);
      }
      const std::size_t first = random() % 8;
      ASSERT_EQ(rig.read<std::byte>(memories[to], first, size - first),
                Bytes(expected[to].begin() + static_cast<std::ptrdiff_t>(first), expected[to].end()))
          << "step " << step;
    }
  });
}

TEST_F(WebgpuDriverTest, OutOfMemoryIsToldAndLeavesEverything) {
  each([](WebgpuRig& rig) {
    std::vector<backend::MemoryId> taken;
    const std::uint64_t most = rig.device->info().limits.max_allocation;
    for (int count = 0; count < 64; ++count) {
      const auto memory = rig.device->allocate(sized(most));
      if (memory) {
        taken.push_back(*memory);
        continue;
      }
      EXPECT_EQ(memory.error().code(), Errc::out_of_memory) << memory.error().text();
      break;
    }
    for (const backend::MemoryId memory : taken) rig.device->release(memory);
    const auto memory = rig.buffer(Words{1, 2, 3});
    EXPECT_EQ(rig.read<std::uint32_t>(memory, 0, 3), (Words{1, 2, 3}));
  });
}

}  // namespace
}  // namespace pintle::test
