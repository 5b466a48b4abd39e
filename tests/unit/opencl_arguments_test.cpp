#include "base/opencl_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "pintle/must.h"

namespace pintle::base {
namespace {

using Kind = OpenClType::Kind;
using Space = OpenClArgument::Space;

TEST(OpenClArguments, TypesAreReadAsCompilersAndDriversWriteThem) {
  struct Case {
    std::string_view text;
    std::string_view number;
    std::uint32_t components;
    bool is_pointer;
  };
  for (const Case& each :
       {Case{"float", "f32", 1, false}, Case{"float4*", "f32", 4, true}, Case{"const uint*", "u32", 1, true},
        Case{"unsigned int", "u32", 1, false}, Case{"float __attribute__((ext_vector_type(4)))*", "f32", 4, true},
        Case{"_Atomic(int)*", "i32", 1, true}, Case{"atomic_uint*", "u32", 1, true},
        Case{"__global const half * restrict", "f16", 1, true}, Case{"uchar16", "u8", 16, false},
        Case{"size_t", "u64", 1, false}, Case{"double3", "f64", 3, false}}) {
    const OpenClType type = parse_opencl_type(each.text);
    ASSERT_EQ(type.kind, Kind::number) << each.text;
    EXPECT_EQ(text_of(type.number), each.number) << each.text;
    EXPECT_EQ(type.components, each.components) << each.text;
    EXPECT_EQ(type.is_pointer, each.is_pointer) << each.text;
  }
  for (const std::string_view opaque : {"image2d_array_t", "image1d_t", "image2d_msaa_t", "event_t"})
    EXPECT_EQ(parse_opencl_type(opaque).kind, Kind::opaque) << opaque;
  for (const std::string_view image : {"image2d_t", "__read_only image2d_t", "write_only image2d_t"}) {
    EXPECT_EQ(parse_opencl_type(image).kind, Kind::image) << image;
    EXPECT_EQ(parse_opencl_type(image).dimensions, 2) << image;
  }
  EXPECT_EQ(parse_opencl_type("__read_write image3d_t").dimensions, 3);
  EXPECT_EQ(parse_opencl_type("read_only image1d_buffer_t").kind, Kind::image);
  EXPECT_EQ(parse_opencl_type("image1d_buffer_t").dimensions, 1);
  EXPECT_EQ(parse_opencl_type("sampler_t").kind, Kind::sampler);
  for (const std::string_view record : {"struct item", "struct item*", "union word"})
    EXPECT_EQ(parse_opencl_type(record).kind, Kind::record) << record;
  for (const std::string_view unknown : {"", "*", "void*", "DATA_TYPE", "float5", "my_float", "int8_t", "imagery"})
    EXPECT_EQ(parse_opencl_type(unknown).kind, Kind::unknown) << unknown;
}

OpenClArgument argument(std::string name, std::string type, Space space) {
  OpenClArgument made;
  made.parsed = parse_opencl_type(type);
  made.name = std::move(name);
  made.type = std::move(type);
  made.space = space;
  return made;
}

std::string said(std::string_view signature, const std::vector<OpenClArgument>& arguments) {
  return difference(must(Entry::parse(signature)), arguments).value_or("agrees");
}

TEST(OpenClArguments, WhatTheCodeStoresAndLoadsIsCompared) {
  std::vector<OpenClArgument> one{argument("y", "float*", Space::global)};
  EXPECT_EQ(said("f(y: read f32[])", one), "agrees");
  one[0].is_written = true;
  EXPECT_EQ(said("f(y: read f32[])", one), "writes through the argument for the parameter \"y\", declared (read)");
  EXPECT_EQ(said("f(y: write f32[])", one), "agrees");
  one[0].is_read = true;
  EXPECT_EQ(said("f(y: write f32[])", one), "reads through the argument for the parameter \"y\", declared (write)");
  EXPECT_EQ(said("f(y: read_write f32[])", one), "agrees");
}

TEST(OpenClArguments, VectorsOfThreeAreNoVectorsOfFour) {
  const std::vector<OpenClArgument> three{argument("y", "float3*", Space::global)};
  EXPECT_EQ(said("f(y: read f32x3[])", three), "agrees");
  EXPECT_EQ(said("f(y: read f32[])", three), "agrees");
  EXPECT_EQ(said("f(y: read f32x3[])", {argument("y", "float4*", Space::global)}),
            "has an argument that is global (float4*) for the parameter \"y\", declared as a buffer (read f32x3[])");
}

TEST(OpenClArguments, WhatTheProgramDefinesIsNotKnown) {
  EXPECT_EQ(said("f(y: read f32[], n: u64)",
                 {argument("y", "DATA_TYPE*", Space::global), argument("n", "index_t", Space::by_value)}),
            "agrees");
  EXPECT_EQ(said("f(n: u64)", {argument("n", "struct pair", Space::by_value)}),
            "has an argument that is by value (struct pair) for the parameter \"n\", declared as a scalar (u64)");
  EXPECT_EQ(said("f(c: complex64)", {argument("c", "float2", Space::by_value)}), "agrees");
  EXPECT_EQ(said("f(n: u32)", {argument("n", "uint*", Space::local)}),
            "has an argument that is local (uint*) for the parameter \"n\", declared as a scalar (u32)");
}

TEST(OpenClArguments, TheLastMayBeLocal) {
  const std::vector<OpenClArgument> two{argument("y", "float*", Space::global), argument("t", "float*", Space::local)};
  EXPECT_EQ(said("f(y: read f32[]) local 64", two), "agrees");
  EXPECT_EQ(said("f(y: read f32[])", two), "has (2) arguments in the program, but (1) parameters are declared");
  EXPECT_EQ(said("f(y: read f32[]) local 64", {two[0], two[0]}),
            "has a last argument that is global (float*), where local memory of (64 bytes) is declared");
}

TEST(OpenClArguments, ValuesAreVectorsStructsOrBytes) {
  const auto by_value = [](std::string type, std::uint32_t bytes = 0) {
    std::vector<OpenClArgument> one{argument("v", std::move(type), Space::by_value)};
    one[0].bytes = bytes;
    return one;
  };
  EXPECT_EQ(said("f(v: f32x4)", by_value("float4")), "agrees");
  EXPECT_EQ(said("f(v: f32x3)", by_value("float3")), "agrees");
  EXPECT_EQ(said("f(v: f32x4)", by_value("my_vector")), "agrees");
  EXPECT_EQ(said("f(v: f32x3)", by_value("float4")),
            "has an argument that is by value (float4) for the parameter \"v\", declared as a value (f32x3, 16 bytes)");
  EXPECT_NE(said("f(v: f32x4)", by_value("int4")), "agrees");
  EXPECT_NE(said("f(v: f32x4)", by_value("struct camera")), "agrees");
  EXPECT_NE(said("f(v: f32x4)", {argument("v", "float4*", Space::global)}), "agrees");
  EXPECT_NE(said("f(v: bytes[8])", {argument("v", "image2d_t", Space::global)}), "agrees");
  EXPECT_EQ(said("f(v: { x: f32, y: f32 })", by_value("struct pair")), "agrees");
  EXPECT_EQ(said("f(v: { x: f32, y: f32 })", by_value("pair_t", 8)), "agrees");
  EXPECT_EQ(
      said("f(v: { x: f32 })", by_value("struct pair", 8)),
      "has an argument that is by value (struct pair, 8 bytes) for the parameter \"v\", declared as a value ({ x: "
      "f32 at 0 }, 4 bytes)");
  EXPECT_NE(said("f(v: { x: f32, y: f32 })", by_value("float2")), "agrees");
  EXPECT_EQ(said("f(v: bytes[16])", by_value("float3")), "agrees");
  EXPECT_NE(said("f(v: bytes[12])", by_value("float3")), "agrees");
}

TEST(OpenClArguments, ImagesHaveDimensionsAndAnAccess) {
  std::vector<OpenClArgument> two{argument("in", "image2d_t", Space::global),
                                  argument("s", "sampler_t", Space::by_value)};
  EXPECT_EQ(said("f(in: read image2d rgba8, s: sampler)", two), "agrees");
  EXPECT_EQ(said("f(in: write image2d, s: sampler)", two), "agrees");  // the access is not told
  two[0].access = Access::read;
  EXPECT_EQ(said("f(in: read image2d, s: sampler)", two), "agrees");
  EXPECT_EQ(said("f(in: write image2d, s: sampler)", two),
            "has as (read) image2d_t the argument for the parameter \"in\", declared (write)");
  EXPECT_EQ(said("f(in: read image3d r8, s: sampler)", two),
            "has an argument that is read image2d_t for the parameter \"in\", declared as read image3d r8");
  EXPECT_EQ(said("f(in: read image2d sampled, s: sampler)", two),
            "has an argument that is read image2d_t for the parameter \"in\", declared as read image2d sampled");
  EXPECT_EQ(said("f(in: read u8[], s: sampler)", two),
            "has an argument that is read image2d_t for the parameter \"in\", declared as a buffer (read u8[])");
  EXPECT_EQ(said("f(in: sampler, s: sampler)", two),
            "has an argument that is read image2d_t for the parameter \"in\", declared as sampler");
  EXPECT_EQ(said("f(in: read image2d, s: u64)", two),
            "has an argument that is sampler_t for the parameter \"s\", declared as a scalar (u64)");
  EXPECT_EQ(said("f(in: read image2d, s: read image2d)", two),
            "has an argument that is sampler_t for the parameter \"s\", declared as read image2d");
  EXPECT_EQ(said("f(y: read image2d)", {argument("y", "uchar*", Space::global)}),
            "has an argument that is global (uchar*) for the parameter \"y\", declared as read image2d");
  EXPECT_NE(said("f(y: read image2d)", {argument("y", "", Space::untold)}), "agrees");
  EXPECT_NE(said("f(y: read image2d)", {argument("y", "image2d_array_t", Space::global)}), "agrees");
  EXPECT_NE(said("f(y: sampler)", {argument("y", "ulong", Space::by_value)}), "agrees");
}

TEST(OpenClArguments, ATexelBufferIsAnImageOverABuffer) {
  std::vector<OpenClArgument> one{argument("in", "image1d_buffer_t", Space::global)};
  EXPECT_EQ(said("f(in: read texel_buffer rgba32f)", one), "agrees");
  EXPECT_EQ(said("f(in: write texel_buffer)", one), "agrees");  // the access is not told
  one[0].access = Access::read;
  EXPECT_EQ(said("f(in: read texel_buffer)", one), "agrees");
  EXPECT_EQ(said("f(in: write texel_buffer)", one),
            "has as (read) image1d_buffer_t the argument for the parameter \"in\", declared (write)");
  EXPECT_EQ(said("f(in: read image2d r8)", one),
            "has an argument that is read image1d_buffer_t for the parameter \"in\", declared as read image2d r8");
  EXPECT_EQ(said("f(in: read u8[])", one),
            "has an argument that is read image1d_buffer_t for the parameter \"in\", declared as a buffer (read u8[])");
  EXPECT_EQ(said("f(in: sampler)", one),
            "has an argument that is read image1d_buffer_t for the parameter \"in\", declared as sampler");
  EXPECT_EQ(said("f(in: read texel_buffer r8)", {argument("in", "image2d_t", Space::global)}),
            "has an argument that is image2d_t for the parameter \"in\", declared as read texel_buffer r8");
  EXPECT_EQ(said("f(in: read texel_buffer)", {argument("in", "float*", Space::global)}),
            "has an argument that is global (float*) for the parameter \"in\", declared as read texel_buffer");
  EXPECT_EQ(said("f(in: read texel_buffer)", {argument("in", "image1d_t", Space::global)}),
            "has an argument that is global (image1d_t) for the parameter \"in\", declared as read texel_buffer");
  EXPECT_EQ(said("f(in: read texel_buffer)", {argument("in", "sampler_t", Space::by_value)}),
            "has an argument that is sampler_t for the parameter \"in\", declared as read texel_buffer");
}

TEST(OpenClArguments, LocalMemoryStandsAnywhere) {
  const std::vector<OpenClArgument> two{argument("t", "float4*", Space::local), argument("y", "float*", Space::global)};
  EXPECT_EQ(said("f(t: local f32[], y: read f32[])", two), "agrees");
  EXPECT_EQ(said("f(t: local u8[], y: read f32[])", two), "agrees");
  EXPECT_EQ(said("f(t: local i32[], y: read f32[])", two),
            "has an argument that is local (float4*) for the parameter \"t\", declared as local memory (i32[])");
  EXPECT_EQ(said("f(t: local f32[], y: local f32[])", two),
            "has an argument that is global (float*) for the parameter \"y\", declared as local memory (f32[])");
  EXPECT_NE(said("f(t: read f32[], y: read f32[])", two), "agrees");
}

TEST(OpenClArguments, AVectorOfThreeTakesThePlaceOfFour) {
  const auto bytes = [](std::string_view type) {
    return opencl_bytes(must(Entry::parse("f(v: " + std::string(type) + ")")).parameters[0]);
  };
  EXPECT_EQ(bytes("f32x3"), 16u);
  EXPECT_EQ(bytes("u8x3"), 4u);
  EXPECT_EQ(bytes("f64x2"), 16u);
  EXPECT_EQ(bytes("f32"), 4u);
  EXPECT_EQ(bytes("bytes[12]"), 12u);
  EXPECT_EQ(bytes("{ x: f32, a: f32x3 at 16 }"), 32u);
}

}  // namespace
}  // namespace pintle::base
