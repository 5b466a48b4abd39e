#include "cli/compilers/reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/file.h"
#include "base/quote.h"
#include "cli/compilers/entry_names.h"

namespace pintle::cli {
namespace {

/// The language of a variant that is a source; empty where it is compiled.
std::optional<io::Language> language_of_format(std::string_view format) {
  using enum io::Language;
  for (const io::Language language : {c, opencl_c, glsl, hlsl}) {
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

/// Without a compiler of OpenCL C, a source counts as read when the C compiler can compile it for the cpu.
Result<Names> names_in(const io::PackSource& source) {
  auto names = entries_of_source(source);
  const bool is_unread = !names && names.error().code() == Errc::unavailable;
  if (!is_unread || source.language != io::Language::opencl_c || !compile_item_loops(source, {})) return names;
  Names compiled;
  for (const Entry& entry : source.entries) compiled.push_back(entry.name);
  return compiled;
}

void read_source(const io::PackSource& source, Reading& reading) {
  judge(fmt::format("Source {}", base::quote(source.file)), names_in(source), source.entries, reading);
}

void read_variant(const io::PackVariant& variant, Reading& reading) {
  if (variant.format == "native") return;  // the program registers it
  const std::string name =
      fmt::format("Variant {}{}{}", variant.format, variant.target.empty() ? "" : " for ", variant.target);
  const auto language = language_of_format(variant.format);
  if (!language) return judge(name, entries_of_code(variant.format, variant.code), variant.entries, reading);
  const std::string text(base::text_in(variant.code));
  judge(name, names_in({"variant." + variant.format, *language, {}, variant.entries, text}), variant.entries, reading);
}

}  // namespace

Reading read_kernels(const io::PackRecipe& recipe) {
  Reading reading;
  for (const io::PackVariant& variant : recipe.pack.variants) read_variant(variant, reading);
  for (const io::PackSource& source : recipe.sources) read_source(source, reading);
  return reading;
}

}  // namespace pintle::cli
