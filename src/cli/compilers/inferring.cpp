#include "cli/compilers/inferring.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/quote.h"
#include "cli/compilers/entry_names.h"
#include "spirv/infer.h"
#include "spirv/module.h"
#include "stablehlo/infer.h"
#include "stablehlo/module.h"
#include "wgsl/infer.h"
#include "wgsl/unit.h"

namespace pintle::cli {
namespace {

constexpr std::uint32_t kernel_model = 6;
constexpr std::uint64_t longest_module = 256 << 20;
constexpr std::string_view by_hand =
    "name the entries: --entry 'blur(in: read f32[], out: write f32[], n: u32) group 64'";

/// What the entries of a program go by, and what is not packed.
struct Inferred {
  std::vector<Entry> entries;
  std::vector<Error>& left_out;

  void add(Result<Entry> entry) {
    if (entry) entries.push_back(*std::move(entry));
    else left_out.push_back(std::move(entry).error());
  }
};

/// What a shader does not tell can be declared; what no signature can have cannot.
Error refused(const std::string& code, std::string_view entry, const Error& error) {
  const bool is_help = error.code() == Errc::invalid_argument;
  return {error.code(), fmt::format("Entry {} of {} {}{}{}.", base::quote(entry), code, error.message(),
                                    is_help ? "; " : "", is_help ? by_hand : "")};
}

Result<void> infer_opencl(const io::PackSource& source, Inferred& inferred) {
  PINTLE_ASSIGN(kernels, kernels_of(source));
  for (const OpenClKernel& kernel : kernels) inferred.add(infer(kernel));
  return {};
}

/// The module of the one entry of a source.
Result<Code> compile(const io::PackSource& source) {
  auto module = source.language == io::Language::glsl ? compile_glsl(source, {}) : compile_hlsl(source, {});
  if (module || module.error().code() != Errc::unavailable) return module;
  return Error(Errc::unavailable,
               fmt::format("{} To pack the source uncompiled, {}.", module.error().message(), by_hand));
}

/// Each entry of a source is compiled by itself, in groups of 64 where the source leaves that to the signature.
Result<void> infer_shader(const io::PackSource& source, Inferred& inferred) {
  const std::string code = fmt::format("Source {}", base::quote(source.file));
  Names names = shaders_of(source);
  if (names.empty() && source.language == io::Language::glsl) names.push_back(name_after(source.file));
  for (const std::string& name : names) {
    io::PackSource alone = source;
    alone.entries = {Entry{name, {}, Grid{64}, 0}};
    PINTLE_ASSIGN(module, compile(alone));
    PINTLE_ASSIGN(modules, spirv::read_modules(module));
    auto entry = spirv::infer(modules[0], modules[0].entries[0], name);
    inferred.add(entry ? std::move(entry) : refused(code, name, entry.error()));
  }
  return {};
}

Result<void> infer_wgsl(const io::PackSource& source, Inferred& inferred) {
  const auto unit = wgsl::read_unit(source.text);
  if (!unit) return unit.error().during(fmt::format("reading {}", base::quote(source.file)));
  for (const spirv::EntryPoint& point : unit->module.entries) {
    auto entry = wgsl::infer(*unit, point);
    inferred.add(entry ? std::move(entry)
                       : refused(fmt::format("Source {}", base::quote(source.file)), point.name, entry.error()));
  }
  return {};
}

/// Functions that others use are private.
Result<void> infer_stablehlo(const io::PackSource& source, Inferred& inferred) {
  const std::string code = fmt::format("Source {}", base::quote(source.file));
  if (stablehlo::is_bytecode(base::bytes_in(source.text)))
    return Error(Errc::invalid_argument,
                 fmt::format("{} is MLIR's bytecode, which does not tell here; {}.", code, by_hand));
  const auto module = stablehlo::Module::read(source.text);
  if (!module) return module.error().during(fmt::format("reading {}", base::quote(source.file)));
  for (const stablehlo::Function& function : module->functions()) {
    if (function.is_private) continue;
    auto entry = stablehlo::infer(function);
    inferred.add(entry ? std::move(entry) : refused(code, function.name, entry.error()));
  }
  return {};
}

/// The one entry of a file may be called main, and then goes by the file.
Result<void> infer_module(const ModuleFile& file, Inferred& inferred) {
  const std::string code = fmt::format("Module {}", base::quote(file.file));
  PINTLE_ASSIGN(modules, spirv::read_modules(file.code));
  const bool is_alone = modules.size() == 1 && modules[0].entries.size() == 1;
  for (const spirv::Module& module : modules) {
    for (const spirv::EntryPoint& entry : module.entries) {
      const bool is_named = !is_alone || entry.name != "main";
      if (entry.model == kernel_model) {
        inferred.add(refused(code, entry.name,
                             {Errc::invalid_argument,
                              "is a kernel of OpenCL, whose SPIR-V does not "
                              "tell its parameters"}));
      }
      if (entry.model != spirv::compute_model) continue;
      auto found = spirv::infer(module, entry, is_named ? entry.name : name_after(file.file));
      inferred.add(found ? std::move(found) : refused(code, entry.name, found.error()));
    }
  }
  return {};
}

Result<void> infer_first_shader(const std::vector<io::PackSource>& sources, const std::vector<ModuleFile>& modules,
                                Inferred& inferred) {
  for (const io::PackSource& source : sources) {
    if (source.language == io::Language::glsl || source.language == io::Language::hlsl)
      return infer_shader(source, inferred);
    if (source.language == io::Language::wgsl) return infer_wgsl(source, inferred);
    if (source.language == io::Language::stablehlo) return infer_stablehlo(source, inferred);
  }
  return modules.empty() ? Result<void>() : infer_module(modules[0], inferred);
}

}  // namespace

std::string name_after(const std::string& file) {
  std::filesystem::path stem = std::filesystem::path(file).stem();
  if (is_module_file(file) && io::language_of(stem)) stem = stem.stem();
  std::string name = stem.string();
  for (char& letter : name) {
    if (!base::is_identifier(std::string{'_', letter})) letter = '_';
  }
  return base::is_identifier(name) ? name : "_" + name;
}

bool is_module_file(const std::string& file) { return std::filesystem::path(file).extension() == ".spv"; }

Result<ModuleFile> read_module_file(const std::string& file) {
  PINTLE_ASSIGN(code, base::read_regular_file(file, longest_module));
  ModuleFile read{std::filesystem::path(file).filename().string(), "spirv", std::move(code)};
  const auto modules = spirv::read_modules(read.code);
  if (!modules) return modules.error().during(fmt::format("reading {}", base::quote(file)));
  const auto has = [&](std::uint32_t model) {
    return std::ranges::any_of(*modules, [&](const spirv::Module& module) {
      return std::ranges::find(module.entries, model, &spirv::EntryPoint::model) != module.entries.end();
    });
  };
  if (has(spirv::compute_model)) return read;
  if (!has(kernel_model))
    return Error(Errc::invalid_argument, fmt::format("Module {} has no entry point that computes.", base::quote(file)));
  read.format = "spirv_opencl";
  return read;
}

Result<std::vector<Entry>> infer_entries(const std::vector<io::PackSource>& sources,
                                         const std::vector<ModuleFile>& modules, std::vector<Error>& left_out) {
  Inferred inferred{{}, left_out};
  for (const io::PackSource& source : sources) {
    if (source.language == io::Language::opencl_c) PINTLE_TRY(infer_opencl(source, inferred));
  }
  if (inferred.entries.empty() && left_out.empty()) PINTLE_TRY(infer_first_shader(sources, modules, inferred));
  if (!inferred.entries.empty()) return std::move(inferred.entries);
  if (!left_out.empty()) return left_out[0];
  return Error(Errc::invalid_argument, fmt::format("Source {} has no entry whose parameters it tells; {}.",
                                                   base::quote(sources[0].file), by_hand));
}

}  // namespace pintle::cli
