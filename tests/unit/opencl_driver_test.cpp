#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <set>

#include "backends/opencl/api.h"
#include "kit/loss.h"
#include "opencl_support.h"
#include "unit/scratch_folder.h"
#include "vendor/opencl/table.h"

namespace pintle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class OpenClDriver : public OpenClTest {};

TEST_F(OpenClDriver, ListsDevicesWithEveryFeatureAndUsefulLimits) {
  std::set<std::string> uuids;
  for (const DeviceInfo& info : devices()) {
    SCOPED_TRACE(info.name);
    EXPECT_EQ(info.backend, "opencl");
    EXPECT_FALSE(info.driver.empty());
    EXPECT_TRUE(uuids.insert(info.uuid).second) << info.uuid;
    EXPECT_GE(info.uuid.size(), 8u);
    std::set<Feature> features;
    for (const Capability& row : info.capabilities) {
      EXPECT_TRUE(features.insert(row.feature).second);
      EXPECT_TRUE(row.support == Support::native || !row.detail.empty()) << name(row.feature);
    }
    EXPECT_EQ(features.size(), static_cast<std::size_t>(Feature::optional_buffers));
    EXPECT_GE(info.limits.max_allocation, 1u << 20);
    EXPECT_GE(info.limits.max_buffers, 32u);
    EXPECT_GE(info.limits.max_scalar_bytes, 256u);
    EXPECT_GE(info.limits.max_group_items, info.limits.max_group.x);
    EXPECT_EQ(info.limits.max_in_flight, 256u);
    EXPECT_TRUE(std::has_single_bit(info.limits.offset_alignment));
  }
}

TEST_F(OpenClDriver, DevicesOnTheHostsProcessorAreSoftware) {
  for (const DeviceInfo& info : devices()) {
    const bool is_host_run = info.name.starts_with("pthread") || info.name.starts_with("llvmpipe");
    EXPECT_TRUE(!is_host_run || info.kind == DeviceKind::software) << info.name;
  }
}

TEST_F(OpenClDriver, ListsTheSameAgain) {
  const auto again = opencl::create_driver()->enumerate();
  ASSERT_EQ(again.devices.size(), devices().size());
  for (std::size_t i = 0; i < devices().size(); ++i) EXPECT_EQ(again.devices[i].uuid, devices()[i].uuid);
}

TEST_F(OpenClDriver, UnknownOptionsAreRefused) {
  const auto opened = try_open_opencl(0, {{"fast", ""}});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), Errc::invalid_argument);
  EXPECT_THAT(std::string(opened.error().message()), HasSubstr("fast"));
}

TEST_F(OpenClDriver, AnOrdinalBeyondTheDevicesIsNotFound) {
  const auto opened = try_open_opencl(99);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), Errc::not_found);
  EXPECT_THAT(std::string(opened.error().message()),
              AllOf(HasSubstr("99"), HasSubstr(std::to_string(devices().size()))));
}

TEST_F(OpenClDriver, OpensOneDeviceTwice) {
  OpenClRig first(0), second(0);
  const auto memory = first.buffer(std::vector<std::uint32_t>{1, 2});
  EXPECT_EQ(second.read<std::uint32_t>(second.buffer(std::vector<std::uint32_t>{3}), 1).at(0), 3u);
  EXPECT_EQ(first.read<std::uint32_t>(memory, 2), (std::vector<std::uint32_t>{1, 2}));
}

TEST(OpenClLoader, AMissingLibraryIsUnavailableByName) {
  const test::ScratchFolder folder;
  const std::string path = folder.path() / "libOpenCL.so.1";
  const std::array names{path.c_str()};
  const auto table = vendor::opencl::Table::open(names);
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code(), Errc::unavailable);
  EXPECT_THAT(std::string(table.error().message()), HasSubstr(names[0]));
}

TEST(OpenClLoader, ALibraryWithoutTheFunctionsIsNotFoundByTheFirst) {
  constexpr std::array names{"libm.so.6"};
  const auto table = vendor::opencl::Table::open(names);
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code(), Errc::not_found);
  EXPECT_THAT(std::string(table.error().message()), AllOf(HasSubstr("clGetPlatformIDs"), HasSubstr("libm.so.6")));
}

/// Runs in a process of its own, which has not asked the loader yet.
[[noreturn]] void tell_absences(const char* variable, const char* value) {
  setenv(variable, value, 1);
  for (const Absence& absence : opencl::create_driver()->enumerate().absences) {
    std::cerr << absence.backend << ": " << absence.reason << " " << absence.next_step << "\n";
  }
  std::_Exit(3);
}

TEST(OpenClLoader, NoDriverIsAnAbsenceWithTheNextStep) {
  if (!opencl::loaded()) GTEST_SKIP() << opencl::loaded().error().message();
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const test::ScratchFolder folder;  // without a manifest
  EXPECT_EXIT(tell_absences("OCL_ICD_VENDORS", folder.path().c_str()), testing::ExitedWithCode(3),
              "libOpenCL.so.1 finds no driver.*-1001, CL_PLATFORM_NOT_FOUND_KHR.*/etc/OpenCL/vendors");
}

TEST(OpenClStatus, HaveSymbolsAndMeanings) {
  EXPECT_EQ(opencl::symbol_of(CL_SUCCESS - 5), "CL_OUT_OF_RESOURCES");
  EXPECT_EQ(opencl::symbol_of(-9999), "CL_UNKNOWN");
  EXPECT_TRUE(opencl::check(CL_SUCCESS, "clFlush"));
  const auto refused = opencl::check(CL_MEM_OBJECT_ALLOCATION_FAILURE, "clCreateBuffer");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::out_of_memory);
  EXPECT_EQ(refused.error().vendor()->number, -4);
  EXPECT_EQ(refused.error().vendor()->symbol, "CL_MEM_OBJECT_ALLOCATION_FAILURE");
  EXPECT_THAT(std::string(refused.error().message()), HasSubstr("clCreateBuffer"));
}

TEST(OpenClStatus, AStartedSubmissionThatFailsIsALossWithTheSameVendorError) {
  const Error cause = opencl::failure(CL_OUT_OF_RESOURCES, "The launch is refused.");
  const Error loss = kit::Loss("opencl:0").lose(cause);
  EXPECT_EQ(loss.code(), Errc::device_lost);
  EXPECT_EQ(loss.vendor()->number, CL_OUT_OF_RESOURCES);
  EXPECT_THAT(std::string(loss.message()), HasSubstr("The launch is refused."));
  EXPECT_TRUE(kit::Loss("opencl:0").lose(loss).same_origin(loss));
}

}  // namespace
}  // namespace pintle::test
