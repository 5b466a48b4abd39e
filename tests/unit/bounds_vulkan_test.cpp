// The layer `bounds` over Vulkan: shaders that check their accesses.
#include "bounds_support.h"

namespace pintle::test {
namespace {

/// Runs each test on every Vulkan device that compiles GLSL.
class BoundsVulkan : public testing::Test {
 protected:
  template <class Body>
  void each(Body body) {
    std::size_t count = 0;
    for (const DeviceInfo& info : must(devices()).devices) {
      if (info.backend != "vulkan" || info.formats.size() < 2) continue;
      SCOPED_TRACE(info.name);
      BoundsRig rig("bounds(" + info.id + ")");
      body(rig);
      ++count;
    }
    if (count == 0) GTEST_SKIP() << "this machine has no Vulkan device that compiles GLSL";
  }
};

/// A program of one entry in GLSL; the group has one item.
Kernel shader(const Device& device, std::string_view signature, const std::string& body) {
  const std::string code = "#version 450\nlayout(local_size_x = 1) in;\n" + body;
  const std::string_view name = signature.substr(0, signature.find('('));
  return must(device.load(must(ProgramPack::source("glsl", code, {signature})), name));
}

TEST_F(BoundsVulkan, ReportsARowOfItsOwn) {
  each([](BoundsRig& rig) { EXPECT_EQ(rig.device.info().capability(Feature::bounds).support, Support::native); });
}

TEST_F(BoundsVulkan, WritesAreNamed) {
  each([](BoundsRig& rig) {
    const Kernel put = rig.kernel("put");
    const Buffer out = rig.buffer(Words(10, 7)), other = rig.buffer(Words(5, 3));
    expect_step(rig.failure(CommandList{}.exec(put, Grid{}, out, 10, 1u)),
                {"\"put\"", "writes", "\"out\"", "offset (40)", "(40) bytes"});
    expect_step(rig.failure(CommandList{}.exec(put, Grid{}, out, 1'000'000'000, 1u)), {"offset (4000000000)"});
    expect_step(rig.failure(CommandList{}.exec(put, Grid{}, out, -3, 1u)), {"writes (12) bytes before"});
    EXPECT_EQ(rig.read(out), Words(10, 7));
    EXPECT_EQ(rig.read(other), Words(5, 3));
    must(rig.queue.submit_and_wait(CommandList{}.exec(put, Grid{}, out, 9, 1u)));
    EXPECT_EQ(rig.read(out)[9], 1u);
  });
}

TEST_F(BoundsVulkan, ReadsAreNamedAndGiveZero) {
  each([](BoundsRig& rig) {
    const Buffer in = rig.buffer(Words(10, 7)), out = rig.buffer(Words(1, 9));
    expect_step(rig.failure(CommandList{}.exec(rig.kernel("get"), Grid{}, in, out, 10)),
                {"\"get\"", "reads", "\"in\"", "offset (40)"});
    EXPECT_EQ(rig.read(out), Words(1, 0));
  });
}

TEST_F(BoundsVulkan, TheLaunchOfAListIsFound) {
  each([](BoundsRig& rig) {
    const Kernel bump = rig.kernel("bump"), put = rig.kernel("put");
    const Buffer x = rig.buffer(Words(64, 1)), y = rig.buffer(Words(4, 1));
    CommandList list;
    list.exec(bump, Grid::cover(64), x, 64u)
        .fill(y, 2u)
        .exec(put, Grid{}, y, 4, 5u)
        .exec(bump, Grid::cover(64), x, 64u);
    expect_step(rig.failure(std::move(list)), {"\"put\"", "\"out\"", "offset (16)"});
    EXPECT_EQ(rig.read(x), Words(64, 3));
    EXPECT_EQ(rig.read(y), Words(4, 2));
  });
}

TEST_F(BoundsVulkan, ViewsHaveTheirOwnEnds) {
  each([](BoundsRig& rig) {
    const std::uint64_t step = std::max<std::uint64_t>(rig.device.info().limits.offset_alignment / 4, 1);
    const Buffer whole = rig.buffer(Words(step * 2, 7));
    const BufferView first = must(whole.slice(0, step));
    expect_step(rig.failure(CommandList{}.exec(rig.kernel("put"), Grid{}, first, static_cast<std::int32_t>(step), 1u)),
                {"offset (" + std::to_string(step * 4) + ")"});
    EXPECT_EQ(rig.read(whole), Words(step * 2, 7));
  });
}

TEST_F(BoundsVulkan, AtomicsStructsAndUniformBlocksAreFollowed) {
  each([](BoundsRig& rig) {
    const Kernel kernel =
        shader(rig.device, "deep(out: read_write u32[], more: read_write u32[], at: u32, part: u32)", R"(
struct Item { uint head; uint parts[3]; };
layout(binding = 0) buffer Out { uint count; Item items[]; };
layout(binding = 1) buffer More { uint more[]; };
layout(binding = 2) uniform Scalars { uint at; uint part; };
void main() {
  items[at].parts[part] = 5;
  atomicAdd(more[at], 1);
})");
    const Buffer out = rig.buffer(Words(9, 0)), more = rig.buffer(Words(2, 0));
    must(rig.queue.submit_and_wait(CommandList{}.exec(kernel, Grid{}, out, more, 1u, 2u)));
    EXPECT_EQ(rig.read(out)[8], 5u);
    EXPECT_EQ(rig.read(more), (Words{0, 1}));
    expect_step(rig.failure(CommandList{}.exec(kernel, Grid{}, out, more, 2u, 0u)),
                {"\"deep\"", "writes", "\"out\"", "offset (40)"});
    expect_step(rig.failure(CommandList{}.exec(kernel, Grid{}, out, more, 0u, 3u)),
                {"writes", "\"out\"", "offset (20)"});
    const Buffer large = rig.buffer(Words(100, 0));
    expect_step(rig.failure(CommandList{}.exec(kernel, Grid{}, large, more, 2u, 0u)),
                {"reads and writes", "\"more\"", "offset (8)"});
  });
}

TEST_F(BoundsVulkan, ImagesAndSamplersStandAmongTheBuffers) {
  each([](BoundsRig& rig) {
    const Kernel kernel = shader(rig.device,
                                 "read_texels(frame: read image2d r32ui, out: write u32[], how: sampler, same: read "
                                 "image2d r32ui, to: write image2d r32ui, at: i32)",
                                 R"(
layout(binding = 0, r32ui) uniform readonly uimage2D frame;
layout(binding = 1) writeonly buffer Out { uint data[]; };
layout(binding = 2) uniform sampler how;
layout(binding = 3) uniform utexture2D same;
layout(binding = 4, r32ui) uniform writeonly uimage2D to;
layout(binding = 5) uniform Scalars { int at; };
void main() {
  const uvec4 sum = imageLoad(frame, ivec2(1, 0)) + textureLod(usampler2D(same, how), vec2(1.5, 0.5), 0);
  imageStore(to, ivec2(0), sum);
  data[at] = sum.x;
})");
    const Image frame = must(rig.device.create_image({2, 1}, Texel::r32ui)),
                to = must(rig.device.create_image({1, 1}, Texel::r32ui));
    const Buffer texels = rig.buffer({3, 4}), out = rig.buffer(Words(2, 0));
    const Sampler how{.coordinates = Coordinates::texels};
    const auto list = [&](std::int32_t at) {
      return CommandList{}.copy(frame, texels).exec(kernel, Grid{}, frame, out, how, frame, to, at);
    };
    must(rig.queue.submit_and_wait(list(1).copy(texels, to)));
    EXPECT_EQ(rig.read(out), (Words{0, 8}));
    EXPECT_EQ(rig.read(texels), (Words{8, 4}));
    expect_step(rig.failure(list(2)), {"\"read_texels\"", "writes", "\"out\"", "offset (8)"});
  });
}

TEST_F(BoundsVulkan, IndirectLaunchesAndReplaysAreChecked) {
  each([](BoundsRig& rig) {
    const Kernel bump = rig.kernel("bump");
    const Buffer x = rig.buffer(Words(100, 0)), grid = rig.buffer({2, 1, 1});
    must(rig.queue.submit_and_wait(CommandList{}.exec_indirect(bump, grid, Grid{2, 1, 1}, x, 100u)));
    EXPECT_EQ(rig.read(x), Words(100, 1));
    const Recording recording = must(rig.device.record(CommandList{}.exec(bump, Grid::cover(100), Slot{0}, 100u)));
    must(must(rig.queue.replay(recording, {x})).wait());
    EXPECT_EQ(rig.read(x), Words(100, 2));
    expect_step(rig.failure(CommandList{}.exec_indirect(bump, grid, Grid{2, 1, 1}, x, 101u)),
                {"\"x\"", "offset (400)"});
  });
}

}  // namespace
}  // namespace pintle::test
