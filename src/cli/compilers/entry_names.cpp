#include "cli/compilers/entry_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/c_compiler.h"
#include "base/c_entries.h"
#include "base/compilation.h"
#include "base/elf_symbols.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/quote.h"
#include "cli/compilers/compilation.h"
#include "cli/compilers/preludes.h"
#include "cli/compilers/slang_signatures.h"
#include "cli/compilers/spirv_module.h"
#include "opencl_c/kernels.h"
#include "stablehlo/module.h"
#include "wgsl/unit.h"

namespace pintle::cli {
namespace {

using Macros = std::vector<std::string>;

Names names_of(const std::vector<Entry>& entries) {
  Names names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  return names;
}

/// Functions with typed arguments are compared with the declared entries, unless one of the entries is not there.
Result<Names> entries_of_c(const io::PackSource& source) {
  PINTLE_ASSIGN(compiler, base::find_c_compiler(source.text));
  const std::string text = behind_prelude(cpu_kernel_header, source.file, source.text);
  const auto compile = [&](const Macros& macros, std::span<const Entry> entries) {
    Macros command = compiler.command;
    command.insert(command.end(),
                   {"-O0", "-fPIC", "-shared", "-std=" + (source.version.empty() ? "c11" : source.version)});
    command.insert(command.end(), macros.begin(), macros.end());
    return base::compile_entries(source.file, command, text, entries);
  };
  const auto typed =
      base::compile_with_constants([&](const Macros& macros) { return compile(macros, source.entries); });
  if (typed) return names_of(source.entries);
  PINTLE_ASSIGN(code, base::compile_with_constants([&](const Macros& macros) { return compile(macros, {}); }));
  PINTLE_ASSIGN(names, base::elf_symbols(code));
  const bool are_there = std::ranges::all_of(
      source.entries, [&](const Entry& entry) { return std::ranges::find(names, entry.name) != names.end(); });
  return are_there ? Result<Names>(typed.error()) : Result<Names>(std::move(names));
}

Result<Names> entries_of_opencl_c(const io::PackSource& source) {
  PINTLE_ASSIGN(kernels, kernels_of(source));
  Names names;
  for (const opencl_c::OpenClKernel& kernel : kernels) names.push_back(kernel.name);
  return names;
}

/// Every entry of a shader is called `main`; a source with several chooses by macros.
Result<Names> entries_of_glsl(const io::PackSource& source) {
  const Names named = shaders_of(source);
  const Names entries = names_of(source.entries);
  const auto is_unknown = [&](const std::string& name) { return std::ranges::find(named, name) == named.end(); };
  const auto compiled = compile_glsl(source, {});
  if (compiled) return entries;
  if (compiled.error().code() == Errc::build_failed && !named.empty() && std::ranges::any_of(entries, is_unknown))
    return named;
  return compiled.error();
}

/// The functions of HLSL that give the size of their group.
Names shaders_in(std::string_view text) {
  Names names;
  for (auto at = text.find("numthreads"); at != std::string_view::npos; at = text.find("numthreads", at + 1)) {
    const Names next = base::names_behind(text.substr(at, text.find('{', at) - at), "void ");
    names.insert(names.end(), next.begin(), next.end());
  }
  return names;
}

Result<Names> entries_of_hlsl(const io::PackSource& source) {
  const auto compiled = compile_hlsl(source, {});
  if (compiled || compiled.error().code() != Errc::build_failed) {
    if (!compiled) return compiled.error();
    return names_of(source.entries);
  }
  const Names there = shaders_of(source);
  const auto is_unknown = [&](const Entry& entry) { return std::ranges::find(there, entry.name) == there.end(); };
  if (!there.empty() && std::ranges::any_of(source.entries, is_unknown)) return there;
  return compiled.error();
}

Result<Names> entries_of_wgsl(std::string_view text) {
  PINTLE_ASSIGN(unit, wgsl::read_unit(text));
  Names names;
  for (const auto& entry : unit.module.entries) names.push_back(entry.name);
  return names;
}

/// `unavailable` for bytecode, which nothing here reads.
Result<Names> entries_of_stablehlo(std::string_view text) {
  if (stablehlo::is_bytecode(base::bytes_in(text)))
    return Error(Errc::unavailable, "Nothing here reads MLIR's bytecode.");
  PINTLE_ASSIGN(module, stablehlo::Module::read(text));
  Names names;
  for (const stablehlo::Function& function : module.functions()) {
    if (!function.is_private) names.push_back(function.name);
  }
  return names;
}

/// A code object has a descriptor "name.kd" for each kernel.
Result<Names> kernels_of_amdgcn(std::span<const std::byte> code) {
  constexpr std::string_view ending = ".kd";
  PINTLE_ASSIGN(symbols, base::elf_symbols(code));
  Names names;
  for (const std::string& symbol : symbols) {
    if (symbol.ends_with(ending)) names.push_back(symbol.substr(0, symbol.size() - ending.size()));
  }
  return names;
}

}  // namespace

Names known_formats() {
  Names formats{"native", "so"};
  for (const Compiler& compiler : compilers()) {
    if (std::ranges::find(formats, compiler.format) == formats.end()) formats.emplace_back(compiler.format);
  }
  return formats;
}

Result<std::vector<opencl_c::OpenClKernel>> kernels_of(const io::PackSource& source) {
  return opencl_c::kernels_of(source.file, source.text, source.version);
}

Names shaders_of(const io::PackSource& source) {
  return source.language == io::Language::hlsl ? shaders_in(source.text)
                                               : base::names_behind(source.text, "PINTLE_ENTRY_");
}

Result<Names> entries_of_source(const io::PackSource& source) {
  switch (source.language) {
    case io::Language::c: return entries_of_c(source);
    case io::Language::opencl_c: return entries_of_opencl_c(source);
    case io::Language::glsl: return entries_of_glsl(source);
    case io::Language::slang: return entries_of_slang(source);
    case io::Language::wgsl: return entries_of_wgsl(source.text);
    case io::Language::stablehlo: return entries_of_stablehlo(source.text);
    case io::Language::hlsl: break;
  }
  return entries_of_hlsl(source);
}

Result<Names> entries_of_code(std::string_view format, std::span<const std::byte> code) {
  if (format == "so") return base::elf_symbols(code);
  if (format == "amdgcn") return kernels_of_amdgcn(code);
  if (format == "ptx") return base::names_behind(base::text_in(code), ".entry ");
  if (format == "spirv" || format == "spirv_opencl") return entry_names(code);
  if (format == "wgsl") return entries_of_wgsl(base::text_in(code));
  constexpr std::array<std::string_view, 4> unread{"metal", "metallib", "cubin", "wasm"};
  if (std::ranges::find(unread, format) != unread.end())
    return Error(Errc::unavailable, fmt::format("Nothing here reads the format {}.", base::quote(format)));
  const Names known = known_formats();
  return Error(Errc::invalid_argument,
               fmt::format("Format {} is none of those that are known ({}).{}", base::quote(format),
                           fmt::join(known, ", "), base::did_you_mean(format, known)));
}

}  // namespace pintle::cli
