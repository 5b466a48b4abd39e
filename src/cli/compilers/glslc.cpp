// GLSL to SPIR-V for Vulkan 1.2, one module for each entry.
#include <fmt/format.h>

#include "base/subprocess.h"
#include "cli/compilers/compilation.h"
#include "cli/compilers/spirv_module.h"

namespace pintle::cli {
namespace {

/// Not optimised: that would take the names off specialisation constants, and drivers optimise anyway.
Result<Code> compile_entry(const std::string& glslc, const io::PackSource& source, const Entry& entry) {
  std::vector<std::string> command{glslc, "-fshader-stage=compute", "--target-env=vulkan1.2",
                                   fmt::format("-DPINTLE_ENTRY_{}=1", entry.name)};
  for (const std::string& macro : group_macros(entry)) command.push_back("-D" + macro);
  PINTLE_ASSIGN(module, base::run_compiler({source.file, source.text, std::move(command)}));
  return with_entry_name(module, entry.name);
}

}  // namespace

Result<Code> compile_glsl(const io::PackSource& source, std::string_view) {
  const auto glslc = base::find_program("glslc");
  if (!glslc) return Error(Errc::unavailable, "No compiler of GLSL is found (tried glslc).");
  Code modules;
  for (const Entry& entry : source.entries) {
    auto module = compile_entry(*glslc, source, entry);
    if (!module) return module.error().during(fmt::format("compiling the entry \"{}\"", entry.name));
    modules.insert(modules.end(), module->begin(), module->end());
  }
  return modules;
}

}  // namespace pintle::cli
