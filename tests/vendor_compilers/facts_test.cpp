// NVRTC and ptxas compile the kernels of cuda_facts: what stands behind __CUDACC_RTC__ is compiled nowhere else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "base/temporary_folder.h"
#include "pintle/must.h"
#include "simulators/facts/kernels.h"
#include "vendor/cuda/nvrtc.h"

namespace pintle::test {
namespace {

TEST(VendorCompilers, NvrtcAndPtxasTakeTheKernelsOfFacts) {
  const auto compiler = vendor::cuda::Compiler::open();
  if (!compiler) GTEST_SKIP() << compiler.error().text();
  const auto ptxas = base::find_program("/usr/local/cuda/bin/ptxas");
  const auto folder = must(base::TemporaryFolder::create());
  for (const std::string architecture : {"75", "90", "120"}) {
    const auto ptx = compiler->compile({facts::kernels, "facts.cu", {"--gpu-architecture=compute_" + architecture}});
    ASSERT_TRUE(ptx) << architecture << ": " << ptx.error().text();
    for (const char* const kernel : {"hold", "store", "trap", "breakpoint", "store_shared", "recurse", "registers"})
      EXPECT_THAT(*ptx, testing::HasSubstr(std::string(".entry ") + kernel + "("));
    if (!ptxas) continue;
    std::ofstream(folder / "facts.ptx") << *ptx;
    const std::vector<std::string> command{*ptxas, "-arch=sm_" + architecture, "-o", folder / "facts.cubin",
                                           folder / "facts.ptx"};
    const auto done = must(base::run_process(command, Clock::now() + std::chrono::minutes(2)));
    EXPECT_EQ(done.status, 0) << done.output;
  }
}

}  // namespace
}  // namespace pintle::test
