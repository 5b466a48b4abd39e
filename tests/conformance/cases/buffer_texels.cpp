// Every texel of a device's texel buffers, read and written.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <source_location>
#include <string>

#include "conformance/image_reading.h"
#include "conformance/images.h"
#include "conformance/texel_kernels.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

/// How kernels name the numbers of a texel in OpenCL C and in GLSL, and how they become words and come from words.
struct Numbers {
  std::string suffix, prefix, vector, to_words, from_words;
};

Numbers numbers_of(Texel of) {
  if (!is_integer(of)) return {"f", "", "float4", "floatBitsToUint", "uintBitsToFloat"};
  const Channel channel = channel_of(of);
  const bool is_signed = channel == Channel::i8 || channel == Channel::i16 || channel == Channel::i32;
  if (is_signed) return {"i", "i", "int4", "uvec4", "ivec4"};
  return {"ui", "u", "uint4", "uvec4", "uvec4"};
}

constexpr std::string_view shader_head =
    "#version 450\nlayout(local_size_x = 64) in;\nlayout(push_constant) uniform Values { uint n; };\n";

/// Leaves four words for each texel.
Kernel look_of(const Context& test, Texel of) {
  const auto [suffix, prefix, vector, to_words, from_words] = numbers_of(of);
  const std::string opencl_c =
                        "kernel void look(read_only image1d_buffer_t in, global uint* seen, uint n) {\n"
                        "  const uint i = get_global_id(0);\n  if (i < n) vstore4(as_uint4(read_image" +
                        suffix + "(in, i)), i, seen);\n}\n",
                    glsl =
                        std::string(shader_head) + "layout(set = 0, binding = 0) uniform " + prefix +
                        "samplerBuffer from;\nlayout(set = 0, binding = 1) writeonly buffer Seen { uvec4 seen[]; };\n"
                        "void main() {\n  const int i = int(gl_GlobalInvocationID.x);\n  if (i < n) seen[i] = " +
                        to_words + "(texelFetch(from, i));\n}\n";
  return kernel_of(test, std::array{Source{"opencl_c", opencl_c}, Source{"glsl", glsl}},
                   "look(in: read texel_buffer, seen: write u32[], n: u32) group 64");
}

/// Writes four words into each texel.
Kernel put_of(const Context& test, Texel of) {
  const auto [suffix, prefix, vector, to_words, from_words] = numbers_of(of);
  const std::string opencl_c =
                        "kernel void put(write_only image1d_buffer_t out, global const uint* given, uint n) {\n"
                        "  const uint i = get_global_id(0);\n  if (i < n) write_image" +
                        suffix + "(out, i, as_" + vector + "(vload4(i, given)));\n}\n",
                    glsl =
                        std::string(shader_head) + "layout(set = 0, binding = 0, " + std::string(name(of)) +
                        ") uniform writeonly " + prefix +
                        "imageBuffer result;\nlayout(set = 0, binding = 1) readonly buffer Given { uvec4 given[]; };\n"
                        "void main() {\n  const int i = int(gl_GlobalInvocationID.x);\n"
                        "  if (i < n) imageStore(result, i, " +
                        from_words + "(given[i]));\n}\n";
  return kernel_of(test, std::array{Source{"opencl_c", opencl_c}, Source{"glsl", glsl}},
                   "put(out: write texel_buffer, given: read u32[], n: u32) group 64");
}

/// The kernel for each kind of number is made once; but for one in GLSL that writes, which names its texel.
class KernelsByNumber {
 public:
  using Make = Kernel (*)(const Context&, Texel);
  explicit KernelsByNumber(Make make) : make_(make) {}
  const Kernel& of(const Context& test, Texel texel_of, bool is_alone) {
    const std::string key = is_alone ? std::string(name(texel_of)) : numbers_of(texel_of).suffix;
    const auto found = std::ranges::find(all_, key, &std::pair<std::string, Kernel>::first);
    return found != all_.end() ? found->second : all_.emplace_back(key, make_(test, texel_of)).second;
  }

 private:
  Make make_;
  std::vector<std::pair<std::string, Kernel>> all_;
};

constexpr std::uint32_t places = 200;

/// Four numbers for each texel, as a kernel has them: what the texel lacks is 0, and 1 in the last place.
std::vector<double> numbers_in(const HostImage& host) {
  std::vector<double> all;
  const std::size_t channels = channels_of(host.texel);
  for (std::size_t i = 0; i < places; ++i)
    for (std::size_t c = 0; c < 4; ++c) all.push_back(c < channels ? host.values[i * channels + c] : c == 3 ? 1 : 0);
  return all;
}

std::uint32_t word_of(double value, Texel of) {
  if (!is_integer(of)) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
}

double value_of(std::uint32_t word, Texel of) {
  const std::string suffix = numbers_of(of).suffix;
  if (suffix == "f") return std::bit_cast<float>(word);
  return suffix == "i" ? static_cast<double>(static_cast<std::int32_t>(word)) : static_cast<double>(word);
}

void check_numbers(const Words& seen, const HostImage& host) {
  const std::vector<double> wanted = numbers_in(host);
  const double tolerance = is_integer(host.texel) ? 0 : tolerance_of(host.texel, Sampler{});
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (i % 4 >= channels_of(host.texel)) continue;  // drivers differ in what a texel lacks
    const double value = value_of(seen[i], host.texel);
    if (std::abs(value - wanted[i]) <= tolerance) continue;
    return record_failure(std::string(name(host.texel)) + ": number " + std::to_string(i) + " is " +
                              std::to_string(value) + " instead of " + std::to_string(wanted[i]),
                          std::source_location::current());
  }
}

// A driver may have a texel for one of GLSL's two kinds of texel buffers alone, and then refuses the launch by name.
DEVICE_TEST(TexelBuffer, EveryTexelIsRead) {
  test.require(Feature::texel_buffers);
  test.require_bytes();
  Queue queue = test.queue();
  KernelsByNumber looks(&look_of);
  std::size_t read = 0;
  for (const TexelSupport& support : test.info().buffer_texels) {
    if (support.access == Access::write) continue;
    const HostImage host = host_image({places, 1}, support.texel);
    const Buffer in = test.buffer(host.bytes), seen = test.buffer(Words(4 * places));
    const auto done = queue.submit(CommandList{}.exec(looks.of(test, support.texel, false), Grid::cover(places),
                                                      TexelBuffer{in, support.texel}, seen, places));
    if (!done && takes(test, "glsl")) {
      check_error(done, Errc::unsupported, {name(support.texel)});
      continue;
    }
    need(done);
    check_numbers(test.read<std::uint32_t>(queue, seen), host);
    ++read;
  }
  CHECK(read >= 8);
}

DEVICE_TEST(TexelBuffer, EveryTexelIsWritten) {
  test.require(Feature::texel_buffers);
  test.require_bytes();
  Queue queue = test.queue();
  KernelsByNumber puts(&put_of);
  for (const TexelSupport& support : test.info().buffer_texels) {
    if (support.access == Access::read) continue;
    const HostImage host = host_image({places, 1}, support.texel);
    Words given;
    for (const double value : numbers_in(host)) given.push_back(word_of(value, support.texel));
    const Buffer out = test.buffer(Octets(host.bytes.size())), values = test.buffer(given);
    const bool names_texel = !takes(test, "opencl_c");
    need(queue.submit(CommandList{}.exec(puts.of(test, support.texel, names_texel), Grid::cover(places),
                                         TexelBuffer{out, support.texel}, values, places)));
    if (test.read<std::uint8_t>(queue, out) != written(host))
      record_failure("differs for " + std::string(name(support.texel)), std::source_location::current());
  }
}

}  // namespace
}  // namespace pintle::conformance
