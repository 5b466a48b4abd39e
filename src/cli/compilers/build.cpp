#include "cli/compilers/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/file.h"
#include "base/quote.h"
#include "cli/compilers/compilation.h"
#include "io/pack_options.h"

namespace pintle::cli {
namespace {

bool is_for(const Compiler& compiler, const io::PackSource& source) { return compiler.language == source.language; }

/// Every format that a source names has to be one of its language.
Result<void> check_formats(const io::PackSource& source) {
  std::string known;
  for (const Compiler& compiler : compilers()) {
    if (!is_for(compiler, source) || known.find(compiler.format) != std::string::npos) continue;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", compiler.format);
  }
  for (const std::string& format : source.formats) {
    const bool there = std::ranges::any_of(
        compilers(), [&](const Compiler& compiler) { return is_for(compiler, source) && compiler.format == format; });
    if (there) continue;
    return Error(Errc::invalid_argument, fmt::format("Source {} becomes no {}; it can become {}.",
                                                     base::quote(source.file), base::quote(format), known));
  }
  return {};
}

/// Refuses what needs no compiler to find, before the first compiler runs.
Result<void> check_source(const io::PackSource& source) {
  PINTLE_TRY(check_formats(source));
  if (source.text.empty())
    return Error(Errc::invalid_argument, fmt::format("Source {} is empty.", base::quote(source.file)));
  const auto bytes = base::bytes_in(source.text);
  const auto kept = io::check_pack({"sources", {{"c", {}, source.entries, {bytes.begin(), bytes.end()}, {}}}});
  if (!kept) return kept.error().during(fmt::format("looking at the source {}", base::quote(source.file)));
  return {};
}

/// A kernel that the format cannot have costs only itself.
void keep(const io::PackSource& source, io::PackVariant variant, const std::vector<LeftOut>& left_out, Built& built) {
  for (const auto& [entry, reason] : left_out) {
    std::erase_if(variant.entries, [&](const Entry& one) { return one.name == entry; });
    const Error error(Errc::unsupported, fmt::format("Kernel {} {}.", base::quote(entry), reason));
    built.missing.push_back({variant.format, variant.target, source.file, error, !source.formats.empty()});
  }
  built.pack.variants.push_back(std::move(variant));
}

/// Formats whose constants are set when they are loaded.
bool has_constants(std::string_view format) {
  constexpr std::array<std::string_view, 5> formats{"c", "opencl_c", "glsl", "spirv", "wgsl"};
  return std::ranges::find(formats, format) != formats.end();
}

/// The entries as a variant of this format has them: compiled code has groups of the sizes that it was compiled for.
std::vector<Entry> entries_for(std::string_view format, const io::PackSource& source) {
  std::vector<Entry> entries = source.entries;
  if (has_constants(format)) return entries;
  for (Entry& entry : entries) entry.group_constants = {};
  return entries;
}

void add(const io::PackSource& source, Built& built) {
  for (const Compiler& compiler : compilers()) {
    if (!is_for(compiler, source) || !source.becomes(compiler.format)) continue;
    const std::string format(compiler.format), target(compiler.target);
    auto made = compiler.compile(source, compiler.target);
    const std::string language = format == io::source_format(source.language) ? source.version : std::string();
    if (made)
      keep(source, {format, target, entries_for(format, source), std::move(made->code), language}, made->left_out,
           built);
    else built.missing.push_back({format, target, source.file, made.error(), !source.formats.empty()});
  }
}

/// What was asked for and is broken is told by itself.
bool is_broken(const NotBuilt& one) { return one.is_asked && one.error.code() == Errc::build_failed; }

Error nothing_built(const Built& built) {
  std::string text = fmt::format("No variant of [Program {}] is built.", base::quote(built.pack.name));
  for (const NotBuilt& one : built.missing) text += fmt::format("\n - {}: {}", one.format, one.error.text());
  while (text.ends_with('\n')) text.pop_back();
  return {Errc::build_failed, std::move(text)};
}

}  // namespace

std::string NotBuilt::reason() const {
  const std::string_view message = error.message();
  return error.code() == Errc::build_failed ? first_error(message) : std::string(message);
}

Result<void> define_sides(io::PackRecipe& recipe) {
  for (io::PackSource& source : recipe.sources) {
    if (source.language != io::Language::opencl_c && source.language != io::Language::c) continue;
    io::SourceOptions options;
    options.version = source.version;
    for (const Entry& entry : source.entries) {
      const std::array sides{entry.group_size.x, entry.group_size.y, entry.group_size.z};
      for (std::size_t index = 0; index < sides.size(); ++index) {
        if (!entry.group_constants[index].empty())
          options.macros.emplace_back(entry.group_constants[index], fmt::to_string(sides[index]));
      }
    }
    if (!options.macros.empty()) PINTLE_TRY(io::define(options, source));
  }
  return {};
}

Result<void> check_recipe(const io::PackRecipe& recipe) {
  for (const io::PackSource& source : recipe.sources) PINTLE_TRY(check_source(source));
  if (recipe.pack.variants.empty()) return {};
  return io::check_pack(recipe.pack);
}

Result<Built> build(io::PackRecipe recipe) {
  Built built{std::move(recipe.pack), {}};
  for (const io::PackSource& source : recipe.sources) add(source, built);
  if (built.pack.variants.empty() && std::ranges::any_of(built.missing, is_broken)) return built;
  if (built.pack.variants.empty() && !built.missing.empty()) return nothing_built(built);
  PINTLE_TRY(io::check_pack(built.pack));
  return built;
}

}  // namespace pintle::cli
