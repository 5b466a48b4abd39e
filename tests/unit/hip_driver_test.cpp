// HIP's libraries where they are not there, statuses, and the compiler. What needs a device:
// tests/simulators/hip.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "backends/cuda/find_devices.h"
#include "backends/cuda/platform.h"
#include "base/file.h"
#include "pintle/must.h"
#include "vendor/hip/as_cuda.h"
#include "vendor/hip/hiprtc.h"
#include "vendor/hip/runtime.h"
#include "vendor/hip/status.h"

namespace pintle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using vendor::cuda::Status;

TEST(HipLoader, LibrariesWithoutTheFunctionsAreNotFoundByTheFirst) {
  constexpr std::array names{"libm.so.6"};
  const auto runtime = vendor::hip::Runtime::open(names);
  ASSERT_FALSE(runtime);
  EXPECT_EQ(runtime.error().code(), Errc::not_found);
  EXPECT_THAT(std::string(runtime.error().message()), AllOf(HasSubstr("hipInit"), HasSubstr("libm.so.6")));
  EXPECT_EQ(vendor::hip::Compiler::open(names).error().code(), Errc::not_found);
}

TEST(HipLoader, NoDeviceIsAnAbsenceWithTheNextStep) {
  cuda::Platform& platform = cuda::hip_platform();
  const auto found = cuda::find_devices(platform);
  if (!found.devices.empty()) GTEST_SKIP() << found.devices[0].info.name << " is there";
  ASSERT_EQ(found.absences.size(), 1u);
  EXPECT_EQ(found.absences[0].backend, "hip");
  EXPECT_THAT(found.absences[0].reason, HasSubstr("libamdhip64"));
  EXPECT_THAT(found.absences[0].next_step, HasSubstr(platform.loaded() ? "/dev/kfd" : "ROCm"));
}

TEST(HipStatus, HaveSymbolsAndMeanings) {
  std::set<Status> known;
  for (const auto& row : vendor::hip::status_rows) EXPECT_TRUE(known.insert(row.status).second) << row.symbol;
  EXPECT_EQ(vendor::hip::row_of(Status{424242}).symbol, "hipErrorUnknown");
  const Error refused = cuda::hip_platform().failure(Status::CUDA_ERROR_OUT_OF_MEMORY, "No.");
  EXPECT_EQ(refused.code(), Errc::out_of_memory);
  EXPECT_EQ(refused.vendor()->number, 2);
  EXPECT_EQ(refused.vendor()->symbol, "hipErrorOutOfMemory");
}

TEST(HipCalls, AreNamedInHipsWords) {
  EXPECT_EQ(vendor::hip::own_name_of("cuMemAlloc"), "hipMalloc");
  EXPECT_EQ(vendor::hip::own_name_of("cuGraphAddMemcpyNode"), "hipGraphAddMemcpyNode1D");
  EXPECT_EQ(vendor::hip::own_name_of("an update of a graph"), "an update of a graph");
}

/// Compiles for an architecture without a device.
Result<std::string> compile_for(const std::string& architecture) {
  cuda::FoundDevice found;
  found.platform = &cuda::hip_platform();
  found.architecture = architecture;
  found.info.id = "hip:0";
  backend::ProgramImage image{
      "k", "hip_c", base::bytes_in("extern \"C\" __global__ void f(float* x) { *x *= 2; }"), {}, {}};
  return cuda::hip_platform().compile(image, found);
}

// Debian 12's compiler, 5.2.3, ends its process for gfx1100.
TEST(HipCompiler, MakesCodeOrSaysWhyNot) {
  const std::string lacking = cuda::hip_platform().compiler_absence();
  if (!lacking.empty()) GTEST_SKIP() << lacking;
  const auto made = compile_for("gfx90a");
  ASSERT_TRUE(made) << made.error().text();
  cuda::FoundDevice found;
  found.architecture = "gfx90a:sramecc+:xnack-";
  const auto code = must(cuda::hip_platform().read(*made, found));
  ASSERT_EQ(code.kernels.size(), 1u);
  EXPECT_EQ(code.kernels[0].name, "f");
  EXPECT_EQ(code.kernels[0].sizes, (std::vector<std::uint32_t>{8}));
  const auto unknown = compile_for("gfx1100");
  EXPECT_TRUE(unknown || unknown.error().code() == Errc::build_failed);
  const auto nobody = compile_for("gfx1");
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().code(), Errc::build_failed);
}

}  // namespace
}  // namespace pintle::test
