// Our declarations of webgpu.h: the layout of each struct on machines of 64 bits, as the header of the standard gives
// it.
#include <gtest/gtest.h>

#include <cstddef>

#include "vendor/webgpu/table.h"

namespace pintle::vendor::webgpu {
namespace {

static_assert(sizeof(void*) == 8);

TEST(WebgpuDeclarations, StructsHaveTheSizesOfTheHeader) {
  EXPECT_EQ(sizeof(StringView), 16U);
  EXPECT_EQ(sizeof(Chained), 16U);
  EXPECT_EQ(sizeof(InstanceDescriptor), 32U);
  EXPECT_EQ(sizeof(AdapterOptions), 32U);
  EXPECT_EQ(sizeof(AdapterInfo), 96U);
  EXPECT_EQ(sizeof(Limits), 152U);
  EXPECT_EQ(sizeof(MapCallback), 40U);
  EXPECT_EQ(sizeof(LostCallback), 40U);
  EXPECT_EQ(sizeof(ErrorCallback), 32U);
  EXPECT_EQ(sizeof(DeviceDescriptor), 144U);
  EXPECT_EQ(sizeof(BufferDescriptor), 48U);
  EXPECT_EQ(sizeof(SpirvSource), 32U);
  EXPECT_EQ(sizeof(ConstantEntry), 32U);
  EXPECT_EQ(sizeof(ComputePipelineDescriptor), 80U);
  EXPECT_EQ(sizeof(LayoutEntry), 120U);
  EXPECT_EQ(sizeof(PipelineLayoutDescriptor), 48U);
  EXPECT_EQ(sizeof(GroupEntry), 56U);
  EXPECT_EQ(sizeof(BindGroupDescriptor), 48U);
  EXPECT_EQ(sizeof(TimestampWrites), 24U);
  EXPECT_EQ(sizeof(QuerySetDescriptor), 32U);
}

TEST(WebgpuDeclarations, MembersLieWhereTheHeaderHasThem) {
  EXPECT_EQ(offsetof(Limits, max_uniform_binding), 64U);
  EXPECT_EQ(offsetof(Limits, max_buffer_size), 96U);
  EXPECT_EQ(offsetof(Limits, max_immediate_size), 148U);
  EXPECT_EQ(offsetof(DeviceDescriptor, lost), 72U);
  EXPECT_EQ(offsetof(DeviceDescriptor, error), 112U);
  EXPECT_EQ(offsetof(LayoutEntry, storage_texture), 96U);
}

TEST(WebgpuDeclarations, TextEndsAtItsLengthOrAtAZero) {
  EXPECT_EQ(StringView("abc").text(), "abc");
  EXPECT_EQ(StringView().text(), "");
  StringView counted;
  counted.data = "abcdef";
  EXPECT_EQ(counted.text(), "abcdef");
  counted.length = 2;
  EXPECT_EQ(counted.text(), "ab");
}

TEST(WebgpuDeclarations, LibraryThatIsNotThereIsNamed) {
  const auto opened = Table::open("/nowhere/libwgpu_native.so");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), Errc::unavailable);
  EXPECT_NE(opened.error().message().find("/nowhere/libwgpu_native.so"), std::string_view::npos);
}

TEST(WebgpuDeclarations, LibraryWithoutTheFunctionsIsRefused) {
  const auto opened = Table::open("libm.so.6");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), Errc::not_found);
}

}  // namespace
}  // namespace pintle::vendor::webgpu
