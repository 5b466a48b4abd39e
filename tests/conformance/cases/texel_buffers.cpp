// Buffers whose elements kernels read and write as texels: offsets, order, recordings, refusals.
#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "base/texel_support.h"
#include "conformance/images.h"
#include "conformance/texel_kernels.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

/// Where texels may begin, but for the start.

bool has_buffer_texel(const Context& test, Texel texel, Access access) {
  return base::has_texel(test.info().buffer_texels, texel, access);
}

void require_buffer_texel(const Context& test, Texel texel) {
  test.require(Feature::texel_buffers);
  if (!has_buffer_texel(test, texel, Access::read_write))
    test.not_applicable("kernels do not read and write " + std::string(name(texel)) + " in buffers");
}

std::uint64_t offset_of(const Context& test, Texel texel) {
  const Limits& limits = test.info().limits;
  return std::lcm(std::uint64_t{bytes_of(texel)},
                  std::lcm(std::uint64_t{limits.texel_alignment}, std::uint64_t{limits.offset_alignment}));
}

TexelBuffer texels_at(const Buffer& buffer, Texel texel, std::uint64_t offset, std::uint64_t size) {
  const BufferView bytes = need(buffer.view().as(DType::u8, Shape{buffer.size_bytes()}));
  return {need(bytes.slice(offset, size)), texel};
}

// Each texel is the same one of another buffer, with 1 added in each channel.
constexpr std::string_view rise_signature =
    "rise(in: read texel_buffer rgba32ui, out: write texel_buffer rgba32ui, n: u32) group 64";
constexpr std::array<Source, 3> rise_sources{{{"c", R"(
void rise(const pintle_group* group, const pintle_cpu_image* in, const pintle_cpu_image* out, uint32_t n) {
  for (uint32_t i = group->id[0] * 64; i < group->id[0] * 64 + 64; ++i)
    for (uint32_t c = 0; i < n && c < 4; ++c)
      ((uint32_t*)out->texels)[4 * i + c] = ((const uint32_t*)in->texels)[4 * i + c] + 1;
})"},
                                              {"opencl_c", R"(
kernel void rise(read_only image1d_buffer_t in, write_only image1d_buffer_t out, uint n) {
  const uint i = get_global_id(0);
  if (i < n) write_imageui(out, i, read_imageui(in, i) + 1);
})"},
                                              {"glsl", R"(#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Values { uint n; };
layout(set = 0, binding = 0, rgba32ui) uniform readonly uimageBuffer from;
layout(set = 0, binding = 1, rgba32ui) uniform writeonly uimageBuffer result;
void main() {
  const int i = int(gl_GlobalInvocationID.x);
  if (i < n) imageStore(result, i, imageLoad(from, i) + 1);
})"}}};
constexpr auto texel = Texel::rgba32ui;
constexpr std::size_t texel_bytes = 16;

// The same bytes as plain numbers: each is turned over.
constexpr std::string_view turn_signature = "turn(x: read_write u32[], n: u32) group 64";
constexpr std::array<Source, 3> turn_sources{{{"c", R"(
void turn(const pintle_group* group, uint32_t* x, uint32_t n) {
  for (uint32_t i = group->id[0] * 64; i < group->id[0] * 64 + 64 && i < n; ++i) x[i] = ~x[i];
})"},
                                              {"opencl_c", R"(
kernel void turn(global uint* x, uint n) {
  const uint i = get_global_id(0);
  if (i < n) x[i] = ~x[i];
})"},
                                              {"glsl", R"(#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Values { uint n; };
layout(set = 0, binding = 0) buffer X { uint x[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < n) x[i] = ~x[i];
})"}}};

Words risen(Words words, std::uint32_t by = 1) {
  for (std::uint32_t& word : words) word += by;
  return words;
}

Words turned(Words words) {
  for (std::uint32_t& word : words) word = ~word;
  return words;
}

DEVICE_TEST(TexelBuffer, IsHonest) {
  const Limits& limits = test.info().limits;
  if (test.has(Feature::texel_buffers)) {
    CHECK(limits.max_texel_buffer != 0);
    CHECK(limits.texel_alignment != 0);
    CHECK(!test.info().buffer_texels.empty());
    for (const TexelSupport& support : test.info().buffer_texels) CHECK(!support.is_filtered);
    return;
  }
  CHECK_EQ(limits.max_texel_buffer, 0u);
  CHECK(test.info().buffer_texels.empty());
  check_error(load(test, rise_sources, std::array{rise_signature}), Errc::build_failed,
              {"\"in\" is a texel buffer", test.info().capability(Feature::texel_buffers).detail});
}

DEVICE_TEST(TexelBuffer, KernelsReadAndWriteIt) {
  require_buffer_texel(test, texel);
  const Kernel rise = kernel_of(test, rise_sources, rise_signature);
  Queue queue = test.queue();
  constexpr std::uint32_t count = 1000;
  const Words given = ramp<std::uint32_t>(4 * count, 7);
  const Buffer in = test.buffer(given), out = test.buffer(Words(given.size()));
  need(queue.submit(
      CommandList{}.exec(rise, Grid::cover(count), TexelBuffer{in, texel}, TexelBuffer{out, texel}, count)));
  CHECK_EQ(test.read<std::uint32_t>(queue, out), risen(given));
}

// The first and the last bytes of the buffer are not the view's.
DEVICE_TEST(TexelBuffer, ViewsBeginAtOffsets) {
  require_buffer_texel(test, texel);
  const Kernel rise = kernel_of(test, rise_sources, rise_signature);
  const std::uint64_t offset = offset_of(test, texel);
  if (offset > 1 << 20) test.not_applicable("texel buffers begin where their memory does");
  Queue queue = test.queue();
  constexpr std::uint32_t count = 100;
  const std::size_t size = count * texel_bytes;
  const Words given = ramp<std::uint32_t>((3 * offset + size) / 4, 3), before(given.size(), 77);
  const Buffer in = test.buffer(given), out = test.buffer(before);
  for (const std::uint64_t times : {1U, 2U, 0U, 2U}) {
    const std::uint64_t at = times * offset;
    need(queue.submit(CommandList{}
                          .upload(out, before)
                          .exec(rise, Grid::cover(count), texels_at(in, texel, 3 * offset - at, size),
                                texels_at(out, texel, at, size), count)));
    Words wanted = before;
    for (std::size_t i = 0; i < size / 4; ++i) wanted[at / 4 + i] = given[(3 * offset - at) / 4 + i] + 1;
    CHECK_EQ(test.read<std::uint32_t>(queue, out), wanted);
  }
}

constexpr std::string_view ask_signature = "ask(in: read texel_buffer rgba32ui, size: write u32[])";
constexpr std::array<Source, 3> ask_sources{{{"c", R"(
void ask(const pintle_group* group, const pintle_cpu_image* in, uint32_t* size) { size[group->id[0]] = in->width; })"},
                                             {"opencl_c", R"(
kernel void ask(read_only image1d_buffer_t in, global uint* size) { size[0] = get_image_width(in); })"},
                                             {"glsl", R"(#version 450
layout(set = 0, binding = 0, rgba32ui) uniform readonly uimageBuffer from;
layout(set = 0, binding = 1) writeonly buffer Size { uint size[]; };
void main() { size[0] = imageSize(from); })"}}};

// A driver that does not have the question says so when the kernel is loaded.
DEVICE_TEST(TexelBuffer, KernelsAskHowManyTexelsThereAre) {
  require_buffer_texel(test, texel);
  test.require_bytes();
  const auto program = load(test, ask_sources, std::array{ask_signature});
  if (!program) {
    check_error(program, Errc::build_failed, {"get_image_width", "image1d_buffer_t"});
    return;
  }
  const Kernel ask = need(program->kernel("ask"));
  Queue queue = test.queue();
  const Buffer in = test.allocate(DType::u8, 64 * texel_bytes), size = test.buffer(Words(1));
  for (const std::uint32_t count : {64u, 1u, 17u}) {
    need(queue.submit(CommandList{}.exec(ask, Grid{1}, texels_at(in, texel, 0, count * texel_bytes), size)));
    CHECK_EQ(test.read<std::uint32_t>(queue, size), Words{count});
  }
}

// The same bytes as texels and as plain numbers, in one list.
DEVICE_TEST(Hazard, TexelsAndPlainNumbersKeepTheirOrder) {
  require_buffer_texel(test, texel);
  const Kernel rise = kernel_of(test, rise_sources, rise_signature),
               turn = kernel_of(test, turn_sources, turn_signature);
  Queue queue = test.queue();
  constexpr std::uint32_t count = 5000;
  const Words given = ramp<std::uint32_t>(4 * count, 1);
  const Buffer a = test.buffer(given), b = test.buffer(Words(given.size())), first = test.buffer(Words(given.size()));
  const TexelBuffer in_a{a, texel}, in_b{b, texel};
  const Extent everywhere = Grid::cover(count);
  need(queue.submit(CommandList{}
                        .exec(rise, everywhere, in_a, in_b, count)
                        .exec(turn, Grid::cover(4 * count), b, 4 * count)  // what was written as texels
                        .exec(rise, everywhere, in_b, in_a, count)         // what was written as numbers
                        .copy(first, a)
                        .exec(turn, Grid::cover(4 * count), a, 4 * count)  // after it was copied
                        .fill(b, std::uint32_t{5})                         // after it was read as texels
                        .exec(rise, everywhere, in_b, in_a, count)));
  CHECK_EQ(test.read<std::uint32_t>(queue, first), risen(turned(risen(given))));
  CHECK_EQ(test.read<std::uint32_t>(queue, a), Words(given.size(), 6));
}

DEVICE_TEST(Recording, LaunchesWithTexelBuffersAreRecorded) {
  require_buffer_texel(test, texel);
  const Kernel rise = kernel_of(test, rise_sources, rise_signature),
               turn = kernel_of(test, turn_sources, turn_signature);
  Queue queue = test.queue();
  constexpr std::uint32_t count = 300;
  const Buffer a = test.buffer(Words(4 * count)), b = test.buffer(Words(4 * count));
  const Recording recording = need(
      test.device().record(CommandList{}
                               .copy(a, Slot{0})
                               .exec(rise, Grid::cover(count), TexelBuffer{a, texel}, TexelBuffer{b, texel}, Slot{2})
                               .exec(turn, Grid::cover(4 * count), b, 4 * count)
                               .exec(rise, Grid::cover(count), TexelBuffer{b, texel}, TexelBuffer{a, texel}, count)
                               .copy(Slot{1}, a)));
  for (std::uint32_t round = 1; round <= 3; ++round) {
    const Words given = ramp<std::uint32_t>(4 * count, round * 1000);
    const Buffer from = test.buffer(given), to = test.buffer(Words(given.size()));
    need(queue.replay(recording, {from, to, count}));
    CHECK_EQ(test.read<std::uint32_t>(queue, to), risen(turned(risen(given))));
  }
}

// A kernel that holds its last argument must neither keep its memory nor use it.
DEVICE_TEST(TexelBuffer, MayGoWhileItsLaunchRuns) {
  require_buffer_texel(test, texel);
  const Kernel rise = kernel_of(test, rise_sources, rise_signature);
  Queue queue = test.queue();
  constexpr std::uint32_t count = 100;
  for (std::uint32_t round = 0; round < 20; ++round) {
    const Words given = ramp<std::uint32_t>(4 * count, round);
    const Buffer to = test.buffer(Words(given.size()));
    Signal gate = test.signal();
    {
      const Buffer in = test.buffer(given), out = test.allocate(DType::u32, given.size());
      need(queue.submit(CommandList{}
                            .exec(rise, Grid::cover(count), TexelBuffer{in, texel}, TexelBuffer{out, texel}, count)
                            .copy(to, out),
                        {.after = {test.at(gate, 1)}}));
    }
    need(test.raise(gate, 1));
    CHECK_EQ(test.read<std::uint32_t>(queue, to), risen(given));
  }
}

// One buffer with several texels, more than a backend keeps objects of.
DEVICE_TEST(TexelBuffer, OneBufferHasManyViews) {
  require_buffer_texel(test, texel);
  const Kernel rise = kernel_of(test, rise_sources, rise_signature);
  Queue queue = test.queue();
  constexpr std::uint32_t most = 150;
  const Words given = ramp<std::uint32_t>(4 * most);
  const Buffer in = test.buffer(given), out = test.buffer(Words(given.size()));
  CommandList list;
  for (std::uint32_t count = 1; count <= most; ++count)
    list.exec(rise, Grid::cover(count), texels_at(in, texel, 0, count * texel_bytes),
              texels_at(out, texel, 0, count * texel_bytes), count);
  need(queue.submit(std::move(list)));
  CHECK_EQ(test.read<std::uint32_t>(queue, out), risen(given));
}

DEVICE_TEST(TexelBuffer, MayLieOnTheHost) {
  require_buffer_texel(test, texel);
  const Kernel rise = kernel_of(test, rise_sources, rise_signature);
  Queue queue = test.queue();
  constexpr std::uint32_t count = 1024;
  const Words given = ramp<std::uint32_t>(4 * count);
  const BufferOptions on_host{.placement = Placement::host};
  const Buffer in = need(test.device().allocate(DType::u32, Shape{given.size()}, on_host)),
               out = need(test.device().allocate(DType::u32, Shape{given.size()}, on_host));
  need(queue.submit(CommandList{}
                        .upload(in, std::span(given))
                        .exec(rise, Grid::cover(count), TexelBuffer{in, texel}, TexelBuffer{out, texel}, count)));
  CHECK_EQ(test.read<std::uint32_t>(queue, out), risen(given));
}

// Buffers of a pool share memory. Where texels cannot begin everywhere in it, the list is refused, and nothing else is.
DEVICE_TEST(TexelBuffer, MayLieInAPool) {
  require_buffer_texel(test, texel);
  const Kernel rise = kernel_of(test, rise_sources, rise_signature);
  const bool is_anywhere = test.info().limits.texel_alignment <= 4096;
  Queue queue = test.queue();
  Pool pool = need(Pool::create(test.device(), {.block = 1 << 16}));
  std::vector<Buffer> buffers;
  for (std::uint32_t round = 0; round < 8; ++round) {
    const std::uint32_t count = 3 + round;
    const Words given = ramp<std::uint32_t>(4 * count, round);
    const Buffer& in = buffers.emplace_back(need(queue.allocate(pool, DType::u32, Shape{given.size()})));
    const Buffer out = test.buffer(Words(given.size()));
    need(queue.submit(CommandList{}.upload(in, std::span(given))));
    const auto done = queue.submit(
        CommandList{}.exec(rise, Grid::cover(count), TexelBuffer{in, texel}, TexelBuffer{out, texel}, count));
    if (is_anywhere || round == 0) need(done);
    else check_error(done, Errc::unsupported, {"[Buffer", std::to_string(test.info().limits.texel_alignment)});
    CHECK_EQ(test.read<std::uint32_t>(queue, in), given);
    if (done) CHECK_EQ(test.read<std::uint32_t>(queue, out), risen(given));
  }
}

/// A kernel whose parameters are texels of any kind; for refusals, which need no code that runs.
constexpr std::string_view any_signature =
    "rise(in: read texel_buffer, out: write texel_buffer rgba32ui, n: u32) group 64";

DEVICE_TEST(Error, TexelBuffersThatCannotBeAreRefused) {
  require_buffer_texel(test, texel);
  const Kernel rise = kernel_of(test, rise_sources, rise_signature);
  Queue queue = test.queue();
  const Buffer buffer = test.buffer(Octets(1 << 16)), out = test.buffer(Octets(1 << 16));
  const auto refused = [&](const TexelBuffer& in, Errc code, std::initializer_list<std::string_view> words) {
    check_error(queue.submit(CommandList{}.exec(rise, Grid{1}, in, TexelBuffer{out, texel}, 1u)), code, words);
  };
  refused({buffer, Texel{0}}, Errc::invalid_argument, {"Texel (0)", "rgba32ui"});
  refused({buffer, Texel::r32f}, Errc::invalid_argument, {"Texel (r32f)", "\"in\"", "read texel_buffer rgba32ui"});
  refused(texels_at(buffer, texel, 0, 40), Errc::invalid_argument, {"Size (40)", "rgba32ui", "16 bytes"});
  refused({need(buffer.view().slice(8, 64)), texel}, Errc::invalid_argument, {"Offset (8)", "rgba32ui"});
  refused({BufferView(), texel}, Errc::invalid_argument, {"BufferView"});
  const Limits& limits = test.info().limits;
  const std::uint64_t bytes = (std::uint64_t{limits.max_texel_buffer} + 1) * texel_bytes;
  if (bytes <= std::min<std::uint64_t>(limits.max_allocation, 1 << 26))
    refused({test.allocate(DType::u8, bytes), texel}, Errc::invalid_argument,
            {"Count", std::to_string(limits.max_texel_buffer)});
}

DEVICE_TEST(Error, TexelsOfBuffersThatTheDeviceLacksAreRefused) {
  require_buffer_texel(test, texel);
  const Kernel rise = kernel_of(test, std::span(rise_sources).subspan(0, takes(test, "glsl") ? 1 : 3), any_signature);
  Queue queue = test.queue();
  const Buffer buffer = test.buffer(Octets(4096)), out = test.buffer(Octets(4096));
  for (int number = 1; number <= static_cast<int>(Texel::rgba32f); ++number) {
    const Texel other{static_cast<std::uint8_t>(number)};
    if (has_buffer_texel(test, other, Access::read)) continue;
    check_error(
        queue.submit(CommandList{}.exec(rise, Grid{1}, TexelBuffer{buffer, other}, TexelBuffer{out, texel}, 1u)),
        Errc::unsupported, {name(other), "(read)", "rgba32ui"});
  }
}

// Arguments of the wrong kind never reach a driver.
DEVICE_TEST(Error, ArgumentsThatAreNoTexelBufferAreRefused) {
  require_buffer_texel(test, texel);
  const Kernel rise = kernel_of(test, rise_sources, rise_signature),
               turn = kernel_of(test, turn_sources, turn_signature);
  Queue queue = test.queue();
  const Buffer buffer = test.buffer(Octets(4096)), out = test.buffer(Octets(4096));
  const auto refused = [&](const KernelArgument& in, std::initializer_list<std::string_view> words) {
    check_error(queue.submit(CommandList{}.exec(rise, Grid{1}, in, TexelBuffer{out, texel}, 1u)),
                Errc::invalid_argument, words);
  };
  refused(buffer, {"a texel buffer", "\"in\""});
  refused(Sampler{}, {"a sampler", "\"in\""});
  refused(7u, {"scalar", "\"in\""});
  refused(Slot{0}, {"slot (0)", "\"in\"", "a texel buffer"});
  refused(Local{4}, {"\"in\"", "a texel buffer"});
  if (support_of(test, Texel::rgba32ui) != nullptr)
    refused(make_image(test, {8, 8}, Texel::rgba32ui, support_of(test, Texel::rgba32ui)->access),
            {"an image", "\"in\""});
  check_error(queue.submit(CommandList{}.exec(turn, Grid{1}, TexelBuffer{buffer, texel}, 1u)), Errc::invalid_argument,
              {"a texel buffer", "\"x\""});
  const Device other = need(open(test.id() == "null" ? "cpu" : "null"));
  const Buffer foreign = need(other.allocate(DType::u8, Shape{256}));
  refused(TexelBuffer{foreign, texel}, {"[Buffer"});
}

DEVICE_TEST(Error, SignaturesThatDeclareOtherTexelBuffersAreRefused) {
  test.require(Feature::texel_buffers);
  test.require_bytes();
  const bool has_opencl_c = takes(test, "opencl_c");
  const auto source = has_opencl_c ? std::span(rise_sources).subspan(1, 1) : std::span(rise_sources).last(1);
  if (!takes(test, source[0].format)) test.not_applicable("the device compiles neither GLSL nor OpenCL C");
  const auto refused = [&](std::string_view signature, std::initializer_list<std::string_view> words) {
    check_error(load(test, source, std::array{signature}), Errc::build_failed, words);
  };
  refused("rise(in: write texel_buffer, out: write texel_buffer, n: u32) group 64", {"in"});
  refused("rise(in: read texel_buffer, out: read texel_buffer, n: u32) group 64", {"out"});
  refused("rise(in: read image2d, out: write texel_buffer, n: u32) group 64", {"in", "image2d"});
  refused("rise(in: read u32[], out: write texel_buffer, n: u32) group 64", {"in"});
  refused("rise(in: read texel_buffer, out: sampler, n: u32) group 64", {"out", "sampler"});
}

}  // namespace
}  // namespace pintle::conformance
