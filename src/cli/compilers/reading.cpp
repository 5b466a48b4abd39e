#include "cli/compilers/reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "base/file.h"
#include "base/quote.h"
#include "cli/compilers/entry_names.h"
#include "cli/compilers/gpu_arguments.h"
#include "spirv/matching.h"
#include "wgsl/unit.h"

namespace pintle::cli {
namespace {

/// The language of a variant that is a source; empty where it is compiled.
std::optional<io::Language> language_of_format(std::string_view format) {
  using enum io::Language;
  for (const io::Language language : {c, opencl_c, glsl, hlsl, wgsl, stablehlo}) {
    if (io::source_format(language) == format) return language;
  }
  return std::nullopt;
}

/// A module with one entry may call it `main`.
bool is_there(const Names& names, const std::string& entry, std::size_t entries) {
  return std::ranges::find(names, entry) != names.end() || (entries == 1 && names == Names{"main"});
}

std::optional<Error> missing_entry(const std::string& code, const Names& names, const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    if (is_there(names, entry.name, entries.size())) continue;
    const std::string instead = names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", "));
    return Error(Errc::build_failed, fmt::format("{} has no entry {}; {}.", code, base::quote(entry.name), instead));
  }
  return std::nullopt;
}

void judge(const std::string& code, const Result<Names>& names, const std::vector<Entry>& entries, Reading& reading) {
  if (names) {
    if (auto fault = missing_entry(code, *names, entries)) reading.faults.push_back(*std::move(fault));
  } else if (names.error().code() == Errc::build_failed || names.error().code() == Errc::invalid_argument) {
    reading.faults.push_back(names.error().during("reading " + code));
  } else {
    reading.unread.push_back({code, names.error()});
  }
}

/// Compares the declared entries with the kernels' arguments.
void compare(const std::string& code, const std::vector<opencl_c::OpenClKernel>& kernels,
             const std::vector<Entry>& entries, Reading& reading) {
  for (const Entry& entry : entries) {
    const auto kernel = std::ranges::find(kernels, entry.name, &opencl_c::OpenClKernel::name);
    if (kernel == kernels.end()) continue;
    const auto wrong = difference(entry, *kernel);
    if (!wrong) continue;
    reading.faults.emplace_back(Errc::build_failed,
                                fmt::format("Entry {} of {} {}.", base::quote(entry.name), code, *wrong));
  }
}

void read_text(const std::string& code, const io::PackSource& source, Reading& reading) {
  if (source.language != io::Language::opencl_c) return judge(code, entries_of_source(source), source.entries, reading);
  const auto kernels = kernels_of(source);
  if (!kernels) return judge(code, kernels.error(), source.entries, reading);
  Names names;
  for (const opencl_c::OpenClKernel& kernel : *kernels) names.push_back(kernel.name);
  judge(code, names, source.entries, reading);
  compare(code, *kernels, source.entries, reading);
}

std::string name_of(const io::PackVariant& variant) {
  return fmt::format("Variant {}{}{}", variant.format, variant.target.empty() ? "" : " for ", variant.target);
}

std::string cannot_be_read(const Error& error) {
  std::string_view why = error.message();
  while (why.ends_with('.')) why.remove_suffix(1);
  return fmt::format("cannot be read: {}", why);
}

/// No device's limits are known here.
std::optional<std::string> difference_in(std::span<const spirv::Module> modules, const io::PackVariant& variant,
                                         const Entry& entry) {
  const auto found = spirv::find_entry(modules, entry, variant.entries.size());
  if (!found) return "has no compute entry point";
  spirv::KernelCode kernel;
  const auto matched = spirv::match_entry(spirv::no_limits, *found->module, *found->entry, entry, kernel);
  if (matched) return std::nullopt;
  return std::string(matched.error().message());
}

std::optional<std::string> difference_in(const io::PackVariant& variant, const Entry& entry) {
  if (variant.format == "spirv") {
    const auto modules = spirv::read_modules(variant.code);
    return modules ? difference_in(*modules, variant, entry) : cannot_be_read(modules.error());
  }
  if (variant.format == "wgsl") {
    const auto unit = wgsl::read_unit(base::text_in(variant.code));
    return unit ? difference_in(std::span(&unit->module, 1), variant, entry) : cannot_be_read(unit.error());
  }
  std::optional<std::vector<base::OpenClArgument>> arguments;
  if (variant.format == "ptx") arguments = arguments_in_ptx(base::text_in(variant.code), entry.name);
  if (variant.format == "amdgcn") arguments = arguments_in_amdgcn(variant.code, entry.name);
  return arguments ? base::difference(entry, *arguments) : std::nullopt;
}

void read_variant(const io::PackVariant& variant, Reading& reading) {
  if (variant.format == "native") return;  // the program registers it
  const std::string name = name_of(variant);
  const auto language = language_of_format(variant.format);
  if (!language) return judge(name, entries_of_code(variant.format, variant.code), variant.entries, reading);
  const std::string text(base::text_in(variant.code));
  read_text(name, {"variant." + variant.format, *language, {}, variant.entries, text, variant.language}, reading);
}

}  // namespace

std::vector<Error> compare_compiled(const io::Pack& pack) {
  std::vector<Error> faults;
  for (const io::PackVariant& variant : pack.variants) {
    for (const Entry& entry : variant.entries) {
      const auto wrong = difference_in(variant, entry);
      if (!wrong) continue;
      faults.emplace_back(Errc::build_failed,
                          fmt::format("Entry {} of {} {}.", base::quote(entry.name), name_of(variant), *wrong));
    }
  }
  return faults;
}

Reading read_kernels(const io::PackRecipe& recipe) {
  Reading reading;
  for (const io::PackVariant& variant : recipe.pack.variants) read_variant(variant, reading);
  for (const io::PackSource& source : recipe.sources)
    read_text(fmt::format("Source {}", base::quote(source.file)), source, reading);
  return reading;
}

}  // namespace pintle::cli
