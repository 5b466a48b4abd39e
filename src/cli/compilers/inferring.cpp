#include "cli/compilers/inferring.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/quote.h"
#include "cli/compilers/entry_names.h"
#include "inference/entries.h"
#include "spirv/infer.h"
#include "spirv/module.h"

namespace pintle::cli {
namespace {

constexpr std::uint64_t longest_module = 256 << 20;
constexpr std::string_view by_hand =
    "name the entries: --entry 'blur(in: read f32[], out: write f32[], n: u32) group 64'";

using inference::Told;

inference::Undeclared undeclared(const io::PackSource& source) {
  return {.format = io::source_format(source.language),
          .code = base::bytes_in(source.text),
          .file = source.file,
          .text = fmt::format("Source {}", base::quote(source.file)),
          .language = source.version,
          .declaration = by_hand};
}

/// The one entry of a file may be called main, and then goes by the file.
Result<Told> read_module(const ModuleFile& file) {
  return inference::read_entries({.format = file.format,
                                  .code = file.code,
                                  .file = file.file,
                                  .text = fmt::format("Module {}", base::quote(file.file)),
                                  .main = name_after(file.file),
                                  .declaration = by_hand});
}

/// The module of the one entry of a source.
Result<Code> compile(const io::PackSource& source) {
  auto module = source.language == io::Language::glsl ? compile_glsl(source, {}) : compile_hlsl(source, {});
  if (module || module.error().code() != Errc::unavailable) return module;
  return Error(Errc::unavailable,
               fmt::format("{} To pack the source uncompiled, {}.", module.error().message(), by_hand));
}

/// Each entry of a source is compiled by itself, in groups of 64 where the source leaves that to the signature.
Result<Told> read_shader(const io::PackSource& source) {
  const inference::Undeclared code = undeclared(source);
  Names names = shaders_of(source);
  if (names.empty() && source.language == io::Language::glsl) names.push_back(name_after(source.file));
  Told told;
  for (const std::string& name : names) {
    io::PackSource alone = source;
    alone.entries = {Entry{name, {}, Grid{64}, 0}};
    PINTLE_ASSIGN(module, compile(alone));
    PINTLE_ASSIGN(modules, spirv::read_modules(module));
    inference::add(told, code, name, spirv::infer(modules[0], modules[0].entries[0], name));
  }
  return told;
}

Result<Told> read_first_shader(const std::vector<io::PackSource>& sources, const std::vector<ModuleFile>& modules) {
  for (const io::PackSource& source : sources) {
    if (source.language == io::Language::glsl || source.language == io::Language::hlsl) return read_shader(source);
    if (source.language == io::Language::wgsl || source.language == io::Language::stablehlo)
      return inference::read_entries(undeclared(source));
  }
  return modules.empty() ? Result<Told>(Told()) : read_module(modules[0]);
}

void append(Told& told, Told more) {
  std::ranges::move(more.entries, std::back_inserter(told.entries));
  std::ranges::move(more.left_out, std::back_inserter(told.left_out));
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
  if (!has(spirv::kernel_model))
    return Error(Errc::invalid_argument, fmt::format("Module {} has no entry point that computes.", base::quote(file)));
  read.format = "spirv_opencl";
  return read;
}

Result<std::vector<Entry>> infer_entries(const std::vector<io::PackSource>& sources,
                                         const std::vector<ModuleFile>& modules, std::vector<Error>& left_out) {
  Told told;
  for (const io::PackSource& source : sources) {
    if (source.language != io::Language::opencl_c) continue;
    PINTLE_ASSIGN(kernels, inference::read_entries(undeclared(source)));
    append(told, std::move(kernels));
  }
  if (told.entries.empty() && told.left_out.empty()) {
    PINTLE_ASSIGN(shaders, read_first_shader(sources, modules));
    append(told, std::move(shaders));
  }
  left_out = std::move(told.left_out);
  if (!told.entries.empty()) return std::move(told.entries);
  if (!left_out.empty()) return left_out[0];
  return Error(Errc::invalid_argument, fmt::format("Source {} has no entry whose parameters it tells; {}.",
                                                   base::quote(sources[0].file), by_hand));
}

}  // namespace pintle::cli
