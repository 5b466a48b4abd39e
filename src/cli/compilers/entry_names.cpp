#include "cli/compilers/entry_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/c_compiler.h"
#include "base/elf_symbols.h"
#include "base/file.h"
#include "base/quote.h"
#include "cli/compilers/clang.h"
#include "cli/compilers/compilation.h"
#include "cli/compilers/preludes.h"
#include "cli/compilers/spirv_module.h"

namespace pintle::cli {
namespace {

using Macros = std::vector<std::string>;

constexpr std::string_view name_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
constexpr std::string_view capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/// The name at the beginning of `text`.
std::string_view name_in(std::string_view text) { return text.substr(0, text.find_first_not_of(name_letters)); }

/// The names behind each `before` in `text`, each once.
Names names_behind(std::string_view text, std::string_view before) {
  Names names;
  std::set<std::string> seen;
  for (auto at = text.find(before); at != std::string_view::npos; at = text.find(before, at + 1)) {
    std::string name(name_in(text.substr(at + before.size())));
    if (!name.empty() && seen.insert(name).second) names.push_back(std::move(name));
  }
  return names;
}

/// -DNAME=1 for each name in capitals that a compiler of the C family does not know ("use of undeclared identifier
/// 'N'", "'N' undeclared").
Macros perhaps_constants(std::string_view words) {
  constexpr std::size_t enough = 1 << 16;  // of the compiler's words; each name is looked for in all of them
  words = words.substr(0, enough);
  std::set<std::string> names;
  for (const std::string_view quotes : {"'", "\xe2\x80\x98"}) {
    for (const std::string& name : names_behind(words, quotes)) {
      const bool is_unknown = words.find(fmt::format("undeclared identifier '{}'", name)) != std::string_view::npos ||
                              words.find(name + "' undeclared") != std::string_view::npos ||
                              words.find(name + "\xe2\x80\x99 undeclared") != std::string_view::npos;
      if (is_unknown && name.find_first_not_of(capitals) == std::string::npos) names.insert(name);
    }
  }
  Macros macros;
  for (const std::string& name : names) macros.push_back("-D" + name + "=1");
  return macros;
}

/// Compiles once more with macros for possible constants, where only those are missing.
template <class Compile>
Result<Code> compile_with_constants(Compile compile) {
  Result<Code> code = compile(Macros{});
  if (code || code.error().code() != Errc::build_failed) return code;
  const Macros macros = perhaps_constants(code.error().message());
  return macros.empty() ? code : compile(macros);
}

Result<Names> entries_of_c(const io::PackSource& source) {
  PINTLE_ASSIGN(compiler, base::find_c_compiler());
  const auto compile = [&](const Macros& macros) {
    Macros command{compiler.path, "-O0", "-fPIC", "-shared", "-std=c11"};
    command.insert(command.end(), macros.begin(), macros.end());
    return base::compile_c(source.file, command, behind_prelude(cpu_kernel_header, source.file, source.text));
  };
  PINTLE_ASSIGN(code, compile_with_constants(compile));
  return base::elf_symbols(code);
}

/// Clang's textual output has one line for each kernel: "define ... spir_kernel void @name(".
Result<Names> entries_of_opencl_c(const io::PackSource& source) {
  PINTLE_ASSIGN(clang, find_clang(15));
  const auto compile = [&](const Macros& macros) {
    Macros command{clang,
                   "-x",
                   "cl",
                   "-cl-std=CL2.0",
                   "-target",
                   "spir64-unknown-unknown",
                   "-S",
                   "-emit-llvm",
                   "-O0",
                   "-Xclang",
                   "-disable-llvm-passes",
                   "-fno-crash-diagnostics"};
    command.insert(command.end(), macros.begin(), macros.end());
    return run({source.file, source.text, std::move(command)});
  };
  PINTLE_ASSIGN(code, compile_with_constants(compile));
  return names_behind(base::text_in(code), " spir_kernel void @");
}

/// Every entry of a shader is called `main`; a source with several chooses by macros.
Result<Names> entries_of_glsl(const io::PackSource& source) {
  const Names named = names_behind(source.text, "PINTLE_ENTRY_");
  Names entries;
  for (const Entry& entry : source.entries) entries.push_back(entry.name);
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
    const Names next = names_behind(text.substr(at, text.find('{', at) - at), "void ");
    names.insert(names.end(), next.begin(), next.end());
  }
  return names;
}

Result<Names> entries_of_hlsl(const io::PackSource& source) {
  const auto compiled = compile_hlsl(source, {});
  if (compiled || compiled.error().code() != Errc::build_failed) {
    if (!compiled) return compiled.error();
    Names entries;
    for (const Entry& entry : source.entries) entries.push_back(entry.name);
    return entries;
  }
  const Names there = shaders_in(source.text);
  const auto is_unknown = [&](const Entry& entry) { return std::ranges::find(there, entry.name) == there.end(); };
  if (!there.empty() && std::ranges::any_of(source.entries, is_unknown)) return there;
  return compiled.error();
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

Result<Names> entries_of_source(const io::PackSource& source) {
  switch (source.language) {
    case io::Language::c: return entries_of_c(source);
    case io::Language::opencl_c: return entries_of_opencl_c(source);
    case io::Language::glsl: return entries_of_glsl(source);
    case io::Language::hlsl: break;
  }
  return entries_of_hlsl(source);
}

Result<Names> entries_of_code(std::string_view format, std::span<const std::byte> code) {
  if (format == "so") return base::elf_symbols(code);
  if (format == "amdgcn") return kernels_of_amdgcn(code);
  if (format == "ptx") return names_behind(base::text_in(code), ".entry ");
  if (format == "spirv" || format == "spirv_opencl") return entry_names(code);
  return Error(Errc::unavailable, fmt::format("Nothing here reads the format {}.", base::quote(format)));
}

}  // namespace pintle::cli
