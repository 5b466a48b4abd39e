// image1d_buffer_t in OpenCL C: as ggml reads its matrices, every question, halves, both ways in one kernel; against
// values on the host, on the cpu and on every OpenCL driver that is there.
#include <gtest/gtest.h>

#include <algorithm>

#include "rig.h"

namespace pintle::test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Words = std::vector<std::uint32_t>;

std::vector<Device> devices() {
  std::vector<Device> all{device_of("cpu")};
  for (const char* const id : {"opencl:pocl", "opencl:intel"})  // rusticl has no texel buffers
    if (auto device = device_if_there(id)) all.push_back(*std::move(device));
  return all;
}

Kernel kernel_of(const Device& device, std::string_view source, std::string_view signature) {
  const std::string_view signatures[] = {signature};
  return must(
      device.load(must(ProgramPack::source("opencl_c", source, signatures)), signature.substr(0, signature.find('('))));
}

template <class T>
Buffer buffer_of(Device& device, Queue& queue, const std::vector<T>& values) {
  Buffer made = must(device.allocate_for(values));
  must(must(queue.submit(CommandList{}.upload(made, values))).wait());
  return made;
}

// A row of numbers of four bits, eight to a texel, times a vector of floats, four to a texel.
constexpr std::string_view product_source = R"(
kernel void product(read_only image1d_buffer_t matrix, read_only image1d_buffer_t vector, global float* out, int columns) {
  const int row = get_global_id(0);
  float4 sum = 0;
  for (int i = 0; i < columns / 8; ++i) {
    const uint packed = read_imageui(matrix, row * (columns / 8) + i).x;
    const float4 low = (float4)(packed & 15, packed >> 4 & 15, packed >> 8 & 15, packed >> 12 & 15);
    const float4 high = (float4)(packed >> 16 & 15, packed >> 20 & 15, packed >> 24 & 15, packed >> 28);
    sum += (low - 8.0f) * read_imagef(vector, 2 * i) + (high - 8.0f) * read_imagef(vector, 2 * i + 1);
  }
  out[row] = sum.x + sum.y + sum.z + sum.w;
})";

std::vector<float> product(const Words& matrix, const std::vector<float>& vector) {
  std::vector<float> all(matrix.size() * 8 / vector.size());
  for (std::size_t row = 0; row < all.size(); ++row) {
    for (std::size_t i = 0; i < vector.size(); ++i) {
      const std::uint32_t packed = matrix[(row * vector.size() + i) / 8];
      all[row] += (static_cast<float>(packed >> i % 8 * 4 & 15) - 8) * vector[i];
    }
  }
  return all;
}

TEST(OpenClCTexelBuffers, AMatrixIsReadThroughThem) {
  constexpr std::uint32_t rows = 64, columns = 128;
  Words matrix(rows * columns / 8);
  std::vector<float> vector(columns);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<std::uint32_t>(i) * 2654435761u;
  for (std::size_t i = 0; i < vector.size(); ++i) vector[i] = static_cast<float>(i % 13) - 6;
  for (Device& device : devices()) {
    SCOPED_TRACE(device.id());
    Queue queue = must(device.create_queue());
    const Buffer words = buffer_of(device, queue, matrix), floats = buffer_of(device, queue, vector),
                 out = buffer_of(device, queue, std::vector<float>(rows));
    const Kernel kernel = kernel_of(device, product_source,
                                    "product(matrix: read texel_buffer, vector: read texel_buffer rgba32f, "
                                    "out: write f32[], columns: i32) group 16");
    must(queue.submit(CommandList{}.exec(kernel, Grid{rows / 16}, TexelBuffer{words, Texel::r32ui},
                                         TexelBuffer{floats, Texel::rgba32f}, out, std::int32_t{columns})));
    EXPECT_EQ(must(read<float>(queue, out)), product(matrix, vector));
  }
}

constexpr std::string_view questions = R"(
kernel void ask(read_only image1d_buffer_t a, write_only image1d_buffer_t b, global int* out) {
  const int all[] = {get_image_width(a), get_image_channel_order(a), get_image_channel_data_type(a),
                     get_image_width(b), get_image_channel_order(b), get_image_channel_data_type(b),
                     CLK_RG, CLK_UNORM_INT8, CLK_RGBA, CLK_FLOAT};
  for (int i = 0; i < 10; ++i) out[i] = all[i];
})";

// PoCL 3.1 ends the process there, so the kernel is refused before, until a trial has seen answers.
TEST(OpenClCTexelBuffers, QuestionsAreAnsweredOrRefusedByName) {
  constexpr std::string_view signatures[] = {
      "ask(a: read texel_buffer, b: write texel_buffer, out: write i32[]) group 1"};
  for (Device& device : devices()) {
    SCOPED_TRACE(device.id());
    const auto program = device.load(must(ProgramPack::source("opencl_c", questions, signatures)));
    if (device.id() != "cpu" && !program) {
      EXPECT_EQ(program.error().code(), Errc::build_failed);
      EXPECT_TRUE(program.error().text().contains("may have no get_image_width of image1d_buffer_t"))
          << program.error().text();
      continue;
    }
    Queue queue = must(device.create_queue());
    const Buffer a = buffer_of(device, queue, Bytes(14)), b = buffer_of(device, queue, Bytes(48)),
                 out = buffer_of(device, queue, std::vector<std::int32_t>(10));
    const auto rg8 = std::ranges::find(device.info().buffer_texels, Texel::rg8, &TexelSupport::texel);
    ASSERT_NE(rg8, device.info().buffer_texels.end());
    must(queue.submit(CommandList{}.exec(must(program->kernel("ask")), Grid{1}, TexelBuffer{a, Texel::rg8},
                                         TexelBuffer{b, Texel::rgba32f}, out)));
    const auto told = must(read<std::int32_t>(queue, out));
    EXPECT_EQ(std::vector(told.begin(), told.begin() + 6),
              (std::vector<std::int32_t>{7, told[6], told[7], 3, told[8], told[9]}));
  }
}

// PoCL builds every kernel of a source, so that one which nobody declares must not end the process either.
TEST(OpenClCTexelBuffers, WhatAnUndeclaredKernelAsksEndsNoProcess) {
  std::string source(questions);
  source += "\nkernel void plain(global int* out) { out[0] = 3; }\n";
  constexpr std::string_view signatures[] = {"plain(out: write i32[]) group 1"};
  for (Device& device : devices()) {
    const auto program = device.load(must(ProgramPack::source("opencl_c", source, signatures)));
    EXPECT_TRUE(program || (device.id() != "cpu" && program.error().text().contains("may have no get_image_width")));
  }
}

constexpr std::string_view both_source = R"(
kernel void both(read_write image1d_buffer_t all) {
  const int i = get_global_id(0);
  write_imagei(all, i, read_imagei(all, i) * 2 - 1);
})";

TEST(OpenClCTexelBuffers, OneMayBeReadAndWritten) {
  Device cpu = device_of("cpu");
  Queue queue = must(cpu.create_queue());
  const Kernel both = kernel_of(cpu, both_source, "both(all: read_write texel_buffer) group 8");
  const Buffer all = buffer_of(cpu, queue, Bytes{1, 2, 3, 4, 5, 6, 7, 8, 0xff, 0xfe, 100, 0, 0, 0, 0, 0});
  must(queue.submit(CommandList{}.exec(both, Grid{2}, TexelBuffer{all, Texel::r8i})));
  EXPECT_EQ(must(read<std::uint8_t>(queue, all)),
            (Bytes{1, 3, 5, 7, 9, 11, 13, 15, 0xfd, 0xfb, 127, 0xff, 0xff, 0xff, 0xff, 0xff}));
}

constexpr std::string_view half_source = R"(
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void halves(read_only image1d_buffer_t in, write_only image1d_buffer_t out) {
  const int i = get_global_id(0);
  write_imageh(out, i, read_imageh(in, i) + (half4)(1));
})";

TEST(OpenClCTexelBuffers, HalvesAreReadAndWritten) {
  Device cpu = device_of("cpu");
  Queue queue = must(cpu.create_queue());
  const Kernel halves = kernel_of(cpu, half_source, "halves(in: read texel_buffer, out: write texel_buffer) group 4");
  const Buffer in = buffer_of(cpu, queue, Bytes{0x00, 0x3c, 0x00, 0x40, 0x00, 0x42, 0x00, 0x44}),  // 1, 2, 3, 4
      out = buffer_of(cpu, queue, Bytes(8));
  must(queue.submit(CommandList{}.exec(halves, Grid{1}, TexelBuffer{in, Texel::r16f}, TexelBuffer{out, Texel::r16f})));
  EXPECT_EQ(must(read<std::uint8_t>(queue, out)), (Bytes{0x00, 0x40, 0x00, 0x42, 0x00, 0x44, 0x00, 0x45}));
}

constexpr std::string_view beside_source = R"(
kernel void beside(read_only image1d_buffer_t in, write_only image1d_buffer_t out, global uint* seen) {
  const int at[] = {-1, 4, 2147483647, -2147483647};
  for (int i = 0; i < 4; ++i) {
    seen[i] = read_imageui(in, at[i]).x;
    write_imageui(out, at[i], (uint4)(99));
  }
})";

// What OpenCL leaves open: the cpu reads the edge, and writes nothing.
TEST(OpenClCTexelBuffers, BesideItIsItsEdge) {
  Device cpu = device_of("cpu");
  Queue queue = must(cpu.create_queue());
  const Kernel beside = kernel_of(cpu, beside_source,
                                  "beside(in: read texel_buffer, out: write texel_buffer, seen: write u32[]) group 1");
  const Buffer in = buffer_of(cpu, queue, Bytes{9, 8, 7, 6, 5, 4, 3, 2}), out = buffer_of(cpu, queue, Bytes(8)),
               seen = buffer_of(cpu, queue, Words(4));
  const BufferView middle = must(in.slice(0, 4)), written = must(out.slice(0, 4));
  must(queue.submit(
      CommandList{}.exec(beside, Grid{1}, TexelBuffer{middle, Texel::r8ui}, TexelBuffer{written, Texel::r8ui}, seen)));
  EXPECT_EQ(must(read<std::uint32_t>(queue, seen)), (Words{9, 6, 6, 9}));
  EXPECT_EQ(must(read<std::uint8_t>(queue, out)), Bytes(8));
}

TEST(OpenClCTexelBuffers, OtherSignaturesAreRefused) {
  for (Device& device : devices()) {
    SCOPED_TRACE(device.id());
    for (const std::string_view in : {"read image2d", "read f32[]", "sampler", "u64", "write texel_buffer"}) {
      const std::string signature =
          "product(matrix: " + std::string(in) + ", vector: read texel_buffer, out: write f32[], columns: i32)";
      const std::string_view signatures[] = {signature};
      const auto refused = device.load(must(ProgramPack::source("opencl_c", product_source, signatures)));
      ASSERT_FALSE(refused) << in;
      EXPECT_TRUE(refused.error().text().contains("image1d_buffer_t")) << refused.error().text();
    }
  }
}

}  // namespace
}  // namespace pintle::test
