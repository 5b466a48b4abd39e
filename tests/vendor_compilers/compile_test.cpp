// NVRTC and ptxas compile our kernels for cards from 7.5 on, and hiprtc for AMD's: what the simulators take, the
// vendors' compilers have to take, too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "backends/cuda/platform.h"
#include "base/file.h"
#include "base/subprocess.h"
#include "base/temporary_folder.h"
#include "conformance/kernels.h"
#include "differential/kernels.h"
#include "io/pack.h"
#include "pintle/must.h"

namespace pintle::test {
namespace {

using cuda::FoundDevice;
using testing::HasSubstr;

/// Those without images and texel buffers, which the backends do not have.
std::vector<Entry> plain(std::vector<Entry> entries) {
  std::erase_if(entries, [](const Entry& entry) {
    return std::ranges::any_of(entry.parameters, [](const Parameter& parameter) {
      return parameter.kind == Parameter::Kind::image || parameter.kind == Parameter::Kind::sampler ||
             parameter.kind == Parameter::Kind::texel_buffer;
    });
  });
  return entries;
}

/// Every source of ours in a format.
std::vector<io::PackVariant> sources_in(std::string_view format) {
  std::vector<io::PackVariant> sources;
  for (const ProgramPack& pack : {must(conformance::source_pack()), must(differential::kernels_pack())}) {
    for (io::PackVariant& variant : must(io::parse_pack(must(pack.serialize()))).variants) {
      if (variant.format != format) continue;
      variant.entries = plain(std::move(variant.entries));
      sources.push_back(std::move(variant));
    }
  }
  return sources;
}

Result<std::string> compile(const io::PackVariant& source, const FoundDevice& found) {
  const backend::ProgramImage image{"kernels", source.format, source.code, source.entries, {}};
  return found.platform->compile(image, found);
}

FoundDevice card(cuda::Platform& platform) {
  FoundDevice found;
  found.platform = &platform;
  found.info.id = "a card";
  return found;
}

/// The words of ptxas where it refuses.
std::string assemble(const std::string& ptxas, const std::string& ptx, int capability) {
  const auto folder = must(base::TemporaryFolder::create());
  std::ofstream(folder / "kernels.ptx") << ptx;
  const std::vector<std::string> command{ptxas, "-arch=sm_" + std::to_string(capability), "-o",
                                         folder / "kernels.cubin", folder / "kernels.ptx"};
  const auto done = must(base::run_process(command, Clock::now() + std::chrono::minutes(2)));
  return done.status == 0 ? "" : done.output;
}

TEST(VendorCompilers, NvrtcTakesEveryKernelOfCudaC) {
  FoundDevice found = card(cuda::cuda_platform());
  if (const std::string lacking = found.platform->compiler_absence(); !lacking.empty()) GTEST_SKIP() << lacking;
  const auto sources = sources_in("cuda_c");
  ASSERT_EQ(sources.size(), 2u);
  for (const int capability : {75, 90, 120}) {
    found.capability = capability;
    for (const io::PackVariant& source : sources) {
      const auto ptx = compile(source, found);
      ASSERT_TRUE(ptx) << capability << ": " << ptx.error().text();
      for (const Entry& entry : source.entries) EXPECT_THAT(*ptx, HasSubstr(".entry " + entry.name + "("));
    }
  }
}

TEST(VendorCompilers, PtxasTakesWhatNvrtcMakes) {
  FoundDevice found = card(cuda::cuda_platform());
  if (const std::string lacking = found.platform->compiler_absence(); !lacking.empty()) GTEST_SKIP() << lacking;
  const auto ptxas = base::find_program("/usr/local/cuda/bin/ptxas");
  if (!ptxas) GTEST_SKIP() << "there is no /usr/local/cuda/bin/ptxas";
  for (const int capability : {75, 90, 120}) {
    found.capability = capability;
    for (const io::PackVariant& source : sources_in("cuda_c"))
      EXPECT_EQ(assemble(*ptxas, must(compile(source, found)), capability), "") << capability;
  }
}

// The code says itself what each kernel takes.
TEST(VendorCompilers, HiprtcTakesEveryKernelOfHipC) {
  FoundDevice found = card(cuda::hip_platform());
  if (const std::string lacking = found.platform->compiler_absence(); !lacking.empty()) GTEST_SKIP() << lacking;
  const auto sources = sources_in("hip_c");
  ASSERT_EQ(sources.size(), 2u);
  for (const std::string architecture : {"gfx906", "gfx90a", "gfx1030"}) {
    found.architecture = architecture;
    for (const io::PackVariant& source : sources) {
      const auto made = compile(source, found);
      ASSERT_TRUE(made) << architecture << ": " << made.error().text();
      const auto code = must(found.platform->read(*made, found));
      for (const Entry& entry : source.entries) {
        const auto kernel = std::ranges::find(code.kernels, entry.name, &cuda::Code::Kernel::name);
        ASSERT_NE(kernel, code.kernels.end()) << entry.name;
        EXPECT_EQ(kernel->sizes.size(), entry.parameters.size()) << entry.name;
        EXPECT_EQ(kernel->refusal, "");
      }
    }
  }
}

// 5.2.3, which Debian 12 has, ends its process for these; a newer one compiles.
TEST(VendorCompilers, HiprtcCompilesOrIsOutlived) {
  FoundDevice found = card(cuda::hip_platform());
  if (const std::string lacking = found.platform->compiler_absence(); !lacking.empty()) GTEST_SKIP() << lacking;
  const auto sources = sources_in("hip_c");
  for (const std::string architecture : {"gfx942", "gfx1100"}) {
    found.architecture = architecture;
    const auto made = compile(sources.at(1), found);
    if (made) continue;
    EXPECT_EQ(made.error().code(), Errc::build_failed);
    EXPECT_THAT(made.error().text(), HasSubstr("libamdhip64"));
  }
}

}  // namespace
}  // namespace pintle::test
