#include "facts/code.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "facts/kernels.h"
#include "vendor/cuda/nvrtc.h"
#include "vendor/hip/architecture.h"
#include "vendor/hip/as_cuda.h"
#include "vendor/hip/hiprtc.h"

namespace facts {
namespace {

namespace hip = pintle::vendor::hip;

int capability_of(const Driver& cuda) {
  int major = 0, minor = 0;
  static_cast<void>(cuda.cuDeviceGetAttribute(&major, DeviceAttribute::compute_capability_major, 0));
  static_cast<void>(cuda.cuDeviceGetAttribute(&minor, DeviceAttribute::compute_capability_minor, 0));
  return 10 * major + minor;
}

/// For the best architecture that the compiler knows and the device runs.
pintle::Result<std::string> compile_cuda(const Driver& cuda) {
  PINTLE_ASSIGN(compiler, Compiler::open());
  PINTLE_ASSIGN(known, compiler.architectures());
  const int capability = capability_of(cuda);
  int best = 0;
  for (const int each : known) best = each <= capability ? std::max(best, each) : best;
  return compiler.compile({kernels, "facts.cu", {"--gpu-architecture=compute_" + std::to_string(best), "--std=c++17"}});
}

pintle::Result<std::string> compile_hip() {
  PINTLE_ASSIGN(compiler, hip::Compiler::open());
  const std::string architecture = hip::architecture_of(*hip::runtime(), 0);
  PINTLE_ASSIGN(code, compiler.compile({kernels, "facts.hip", {"--offload-arch=" + architecture, "-std=c++17"}}));
  return std::string(reinterpret_cast<const char*>(code.data()), code.size());
}

}  // namespace

pintle::Result<std::string> compile_kernels(const Api& api) {
  return api.vendor == Vendor::cuda ? compile_cuda(api.cuda) : compile_hip();
}

CodeFile::CodeFile() : path_((std::filesystem::temp_directory_path() / "cuda_facts-XXXXXX").string()) {
  const int file = ::mkstemp(path_.data());
  if (file >= 0) ::close(file);
}

CodeFile::~CodeFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace facts
