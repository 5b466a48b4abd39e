// Readers of formats.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/compilation.h"
#include "base/file.h"
#include "base/quote.h"
#include "inference/entries.h"
#include "opencl_c/kernels.h"
#include "spirv/glsl_program.h"
#include "spirv/infer.h"
#include "spirv/module.h"
#include "stablehlo/infer.h"
#include "stablehlo/module.h"
#include "wgsl/infer.h"
#include "wgsl/unit.h"

namespace pintle::inference {
namespace {

/// What a shader does not tell can be declared; what no signature can have cannot.
Error refused(const Undeclared& code, std::string_view entry, const Error& error) {
  const bool is_help = error.code() == Errc::invalid_argument;
  return {error.code(), fmt::format("Entry {} of {} {}{}{}.", base::quote(entry), code.text, error.message(),
                                    is_help ? "; " : "", is_help ? code.declaration : "")};
}

std::string reading(const Undeclared& code) { return fmt::format("reading {}", base::quote(code.file)); }

Result<Told> read_wgsl(const Undeclared& code) {
  const auto unit = wgsl::read_unit(base::text_in(code.code));
  if (!unit) return unit.error().during(reading(code));
  Told told;
  for (const spirv::EntryPoint& point : unit->module.entries) add(told, code, point.name, wgsl::infer(*unit, point));
  return told;
}

/// Functions that others use are private.
Result<Told> read_stablehlo(const Undeclared& code) {
  if (stablehlo::is_bytecode(code.code))
    return Error(Errc::invalid_argument,
                 fmt::format("{} is MLIR's bytecode, which does not tell here; {}.", code.text, code.declaration));
  const auto module = stablehlo::Module::read(base::text_in(code.code));
  if (!module) return module.error().during(reading(code));
  Told told;
  for (const stablehlo::Function& function : module->functions()) {
    if (!function.is_private) add(told, code, function.name, stablehlo::infer(function));
  }
  return told;
}

Result<Told> read_spirv(const Undeclared& code) {
  PINTLE_ASSIGN(modules, spirv::read_modules(code.code));
  const bool is_alone = modules.size() == 1 && modules[0].entries.size() == 1;
  Told told;
  for (const spirv::Module& module : modules) {
    for (const spirv::EntryPoint& entry : module.entries) {
      const std::string& name = is_alone && entry.name == "main" ? code.main : entry.name;
      if (entry.model == spirv::compute_model) add(told, code, entry.name, spirv::infer(module, entry, name));
      if (entry.model != spirv::kernel_model) continue;
      add(told, code, entry.name,
          Error(Errc::invalid_argument, "is a kernel of OpenCL, whose SPIR-V does not tell its parameters"));
    }
  }
  return told;
}

/// An argument's fault has the kernel's name already.
Result<Told> read_opencl_c(const Undeclared& code) {
  PINTLE_ASSIGN(kernels, opencl_c::kernels_of(code.file, std::string(base::text_in(code.code)), code.language));
  Told told;
  for (const opencl_c::OpenClKernel& kernel : kernels) {
    auto entry = opencl_c::infer(kernel);
    if (entry) told.entries.push_back(*std::move(entry));
    else told.left_out.push_back(entry.error());
  }
  return told;
}

/// In groups of 64 where the source leaves that to the signature.
Result<std::vector<std::byte>> compile_shader(const Undeclared& code, const std::string& name) {
  const spirv::GlslSource source{
      .file = code.file,
      .text = base::text_in(code.code),
      .macros = {
          {"PINTLE_ENTRY_" + name, "1"}, {"PINTLE_GROUP_X", "64"}, {"PINTLE_GROUP_Y", "1"}, {"PINTLE_GROUP_Z", "1"}}};
  auto module = spirv::compile_glsl(source);
  if (module || module.error().code() != Errc::build_failed) return module;
  return Error(Errc::build_failed, fmt::format("Entry {} of {} does not compile:\n{}", base::quote(name), code.text,
                                               module.error().message()));
}

/// A source of several entries chooses one by a macro; each is compiled by itself.
Result<Told> read_glsl(const Undeclared& code) {
  std::vector<std::string> names = base::names_behind(base::text_in(code.code), "PINTLE_ENTRY_");
  if (names.empty()) names.push_back(code.main);
  Told told;
  for (const std::string& name : names) {
    PINTLE_ASSIGN(module, compile_shader(code, name));
    PINTLE_ASSIGN(modules, spirv::read_modules(module));
    for (const spirv::EntryPoint& entry : modules[0].entries)
      add(told, code, name, spirv::infer(modules[0], entry, name));
  }
  return told;
}

struct Reader {
  std::string_view format;
  Result<Told> (*read)(const Undeclared& code);
};

constexpr std::array readers{Reader{"opencl_c", read_opencl_c}, Reader{"glsl", read_glsl},
                             Reader{"wgsl", read_wgsl},         Reader{"stablehlo", read_stablehlo},
                             Reader{"spirv", read_spirv},       Reader{"spirv_opencl", read_spirv}};

}  // namespace

void add(Told& told, const Undeclared& code, std::string_view name, Result<Entry> entry) {
  if (entry) told.entries.push_back(*std::move(entry));
  else told.left_out.push_back(refused(code, name, entry.error()));
}

Result<Told> read_entries(const Undeclared& code) {
  const auto* const reader = std::ranges::find(readers, code.format, &Reader::format);
  if (reader != readers.end()) return reader->read(code);
  return Error(Errc::invalid_argument, fmt::format("{} is in the format {}, which does not tell its entries here; {}.",
                                                   code.text, base::quote(code.format), code.declaration));
}

}  // namespace pintle::inference
