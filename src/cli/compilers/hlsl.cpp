// HLSL to SPIR-V for Vulkan 1.2 by clang as dxc, one module for each entry.
#include <fmt/format.h>

#include "cli/compilers/compilation.h"
#include "cli/compilers/preludes.h"
#include "cli/compilers/spirv_module.h"
#include "opencl_c/clang.h"

namespace pintle::cli {
namespace {

/// Without the list of extensions clang uses one that Vulkan 1.2 does not have.
Result<Code> compile_entry(const std::string& clang, const io::PackSource& source, const Entry& entry) {
  std::vector<std::string> command{clang,
                                   "--driver-mode=dxc",
                                   "-fno-crash-diagnostics",
                                   "-spirv",
                                   "-fspv-target-env=vulkan1.2",
                                   "-hlsl-no-stdinc",
                                   "-T",
                                   "cs_6_6",
                                   "-HV",
                                   "202x",
                                   "-fspv-extension=SPV_KHR_non_semantic_info",
                                   "-Wno-atomic-alignment",
                                   "-E",
                                   entry.name,
                                   "-D",
                                   fmt::format("PINTLE_ENTRY_{}=1", entry.name)};
  for (const std::string& macro : group_macros(entry)) command.insert(command.end(), {"-D", macro});
  return base::run_compiler(
      {source.file, behind_prelude(hlsl_prelude, source.file, source.text), std::move(command), "-Fo"});
}

}  // namespace

Result<Code> compile_hlsl(const io::PackSource& source, std::string_view) {
  PINTLE_ASSIGN(clang, opencl_c::find_clang(22));
  Code modules;
  for (const Entry& entry : source.entries) {
    auto module = compile_entry(clang, source, entry);
    if (!module) return module.error().during(fmt::format("compiling the entry \"{}\"", entry.name));
    modules.insert(modules.end(), module->begin(), module->end());
  }
  return modules;
}

}  // namespace pintle::cli
