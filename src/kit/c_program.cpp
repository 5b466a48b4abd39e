#include "kit/c_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/c_compiler.h"
#include "base/c_entries.h"
#include "base/constant.h"
#include "base/file.h"
#include "base/quote.h"
#include "kit/c_literal.h"
#include "kit/host_cpus.h"
#include "pintle/version.h"

namespace pintle::kit {
namespace {

using backend::ProgramImage;
using Words = std::vector<std::string>;

std::string object_name(const ProgramImage& image) { return fmt::format("[Program {}]", base::quote(image.name)); }

/// What -march=native stands for on this machine: a part of the cache's key.
const std::string& processor() {
  static const std::string& text = *new std::string([] {
    std::string all;
    for (const char* field : {"model name", "flags", "CPU part", "Features"}) all += cpuinfo_field("/", field) + "\n";
    return all;
  }());
  return text;
}

/// "c11", "gnu17": compilers pass over another language's standard, with a warning.
Result<std::string> standard_of(const ProgramImage& image) {
  std::string_view language = image.source.language;
  if (language.empty()) language = "c11";
  const std::string_view number = language.substr(language.starts_with("gnu") ? 3 : language.starts_with("c") ? 1 : 0);
  const auto is_fine = [](char letter) { return (letter >= '0' && letter <= '9') || letter == 'x' || letter == 'y'; };
  if (number.size() == 2 && number != language && std::ranges::all_of(number, is_fine))
    return fmt::format("-std={}", language);
  return Error(Errc::unsupported, fmt::format("Language {} of {} is none of the format c (c99, c11, c17, gnu11, ...).",
                                              base::quote(language), object_name(image)));
}

Result<void> add_folders(const ProgramImage& image, Words& command) {
  for (const std::string& folder : image.source.include_folders) {
    std::error_code none;
    if (!std::filesystem::is_directory(folder, none)) {
      return Error(Errc::not_found,
                   fmt::format("Include folder {} of {} is no folder.", base::quote(folder, 4096), object_name(image)));
    }
    command.push_back("-I" + folder);
  }
  return {};
}

/// All that the processor of this machine has. On one with AVX10 clang 19 warns of the features that it chooses itself.
Words native_options(const base::CCompiler& compiler) {
  Words options{"-march=native"};
  if (compiler.version.find("clang") != std::string::npos)
    options.insert(options.end(), {"-Wno-unknown-warning-option", "-Wno-invalid-feature-combination"});
  return options;
}

Result<Words> command_of(const ProgramImage& image, const base::CCompiler& compiler) {
  Words command = compiler.command;
  PINTLE_ASSIGN(standard, standard_of(image));
  // No kernel reads errno; setting it would keep every loop with a square root from being vectorised.
  command.insert(command.end(),
                 {"-O3", "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-shared", std::move(standard)});
  std::ranges::copy(native_options(compiler), std::back_inserter(command));
  PINTLE_ASSIGN(defines, c_defines(image));
  for (const std::string& define : defines) command.push_back("-D" + define);
  PINTLE_TRY(add_folders(image, command));
  return command;
}

std::string source_of(const ProgramImage& image, std::string_view header) {
  const std::string file = fmt::format("{}.c", image.name.empty() ? "kernel" : image.name);
  return fmt::format("{}\n#line 1 {}\n{}", header, base::quote(file, 200), base::text_in(image.code));
}

/// Whether the text may include a file that is not the system's: "#include <math.h>" is, where no folder is given.
bool has_files(const ProgramImage& image) {
  constexpr std::string_view word = "include";
  if (!image.source.include_folders.empty()) return true;
  std::string_view text = base::text_in(image.code);
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word)) {
    text.remove_prefix(at + word.size());
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    if (!text.starts_with('<')) return true;
  }
  return false;
}

Result<std::string> define_of(const backend::Constant& constant) {
  const bool is_float = constant.dtype == DType::f32 || constant.dtype == DType::f64;
  const auto side = base::whole_number({constant.dtype, constant.value});
  if (constant.is_side && is_float && side) return fmt::format("{}={}", constant.name, *side);
  PINTLE_ASSIGN(text, c_literal(constant));
  return fmt::format("{}={}", constant.name, text);
}

}  // namespace

Result<Words> c_defines(const ProgramImage& image) {
  Words defines;
  for (const backend::Constant& constant : image.constants) {
    PINTLE_ASSIGN(define, define_of(constant));
    defines.push_back(std::move(define));
  }
  for (const backend::Macro& macro : image.source.macros)
    defines.push_back(fmt::format("{}={}", macro.name, macro.text));
  return defines;
}

Result<CProgram> CProgram::of(const ProgramImage& image, std::string_view header) {
  PINTLE_ASSIGN(compiler, base::find_c_compiler(base::text_in(image.code)));
  PINTLE_ASSIGN(command, command_of(image, compiler));
  CProgram program{std::move(command), source_of(image, header)};
  std::string all = fmt::format("pintle {}\n{}\n{}", version, compiler.version, processor());
  for (const std::string& word : program.command) all += word + "\n";
  all += base::with_entries(program.source, image.entries);
  if (has_files(image)) {
    PINTLE_ASSIGN(whole, base::preprocess_c(image.name, program.command, program.source));
    all += whole;
  }
  program.key = base::sha256(base::bytes_in(all));
  return program;
}

Result<std::vector<std::byte>> CProgram::compile(const ProgramImage& image) const {
  const auto lacking = image.left_out != nullptr ? base::Lacking::left_out : base::Lacking::refused;
  return base::compile_entries(image.name, command, source, image.entries, lacking);
}

}  // namespace pintle::kit
