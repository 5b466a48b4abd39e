// CUDA's libraries where they are not there, and statuses. What needs a device: tests/simulators/cuda.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "backends/cuda/find_devices.h"
#include "backends/cuda/platform.h"
#include "unit/scratch_folder.h"
#include "vendor/cuda/driver.h"
#include "vendor/cuda/nvrtc.h"

namespace pintle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using vendor::cuda::Status;

TEST(CudaLoader, MissingLibrariesAreUnavailableByName) {
  const test::ScratchFolder folder;
  const std::string driver = folder.path() / "libcuda.so.1", compiler = folder.path() / "libnvrtc.so";
  const auto no_driver = vendor::cuda::Driver::open(std::array{driver.c_str()});
  ASSERT_FALSE(no_driver);
  EXPECT_EQ(no_driver.error().code(), Errc::unavailable);
  EXPECT_THAT(std::string(no_driver.error().message()), HasSubstr(driver));
  const auto no_compiler = vendor::cuda::Compiler::open(std::array{compiler.c_str()});
  ASSERT_FALSE(no_compiler);
  EXPECT_EQ(no_compiler.error().code(), Errc::unavailable);
}

TEST(CudaLoader, LibrariesWithoutTheFunctionsAreNotFoundByTheFirst) {
  constexpr std::array names{"libm.so.6"};
  const auto driver = vendor::cuda::Driver::open(names);
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().code(), Errc::not_found);
  EXPECT_THAT(std::string(driver.error().message()), AllOf(HasSubstr("cuInit"), HasSubstr("libm.so.6")));
  EXPECT_EQ(vendor::cuda::Compiler::open(names).error().code(), Errc::not_found);
}

TEST(CudaLoader, NoDriverIsAnAbsenceWithTheNextStep) {
  cuda::Platform& platform = cuda::cuda_platform();
  if (platform.loaded()) GTEST_SKIP() << platform.library() << " is there";
  const auto found = cuda::find_devices(platform);
  ASSERT_EQ(found.absences.size(), 1u);
  EXPECT_TRUE(found.devices.empty());
  EXPECT_THAT(found.absences[0].reason, HasSubstr("libcuda.so.1"));
  EXPECT_THAT(found.absences[0].next_step, HasSubstr("driver"));
}

TEST(CudaStatus, HaveSymbolsAndMeanings) {
  std::set<Status> known;
  for (const auto& row : vendor::cuda::status_rows) EXPECT_TRUE(known.insert(row.status).second) << row.symbol;
  EXPECT_EQ(vendor::cuda::row_of(Status{424242}).symbol, "CUDA_ERROR_UNKNOWN");
  const Error refused = cuda::cuda_platform().failure(Status::CUDA_ERROR_OUT_OF_MEMORY, "No.");
  EXPECT_EQ(refused.code(), Errc::out_of_memory);
  EXPECT_EQ(refused.vendor()->number, 2);
  EXPECT_EQ(refused.vendor()->symbol, "CUDA_ERROR_OUT_OF_MEMORY");
}

// Measured on a card: after these every context of the process answers the same code for ever.
TEST(CudaStatus, AFaultOfAKernelPoisonsTheProcess) {
  for (const unsigned number : {700u, 715u, 716u, 717u, 719u})
    EXPECT_EQ(vendor::cuda::row_of(Status{number}).code, Errc::process_poisoned) << number;
  for (const unsigned number : {2u, 200u, 209u, 218u, 222u, 701u})
    EXPECT_NE(vendor::cuda::row_of(Status{number}).code, Errc::process_poisoned) << number;
}

}  // namespace
}  // namespace pintle::test
