#include "cli/compilers/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "base/quote.h"
#include "cli/compilers/compilation.h"

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
  const auto kept = io::check_pack({"sources", {{"c", {}, source.entries, {bytes.begin(), bytes.end()}}}});
  if (!kept) return kept.error().during(fmt::format("looking at the source {}", base::quote(source.file)));
  return {};
}

void add(const io::PackSource& source, Built& built) {
  for (const Compiler& compiler : compilers()) {
    if (!is_for(compiler, source) || !source.becomes(compiler.format)) continue;
    const std::string format(compiler.format), target(compiler.target);
    auto code = compiler.compile(source, compiler.target);
    if (code) built.pack.variants.push_back({format, target, source.entries, *std::move(code)});
    else built.missing.push_back({format, target, source.file, code.error()});
  }
}

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

Result<void> check_recipe(const io::PackRecipe& recipe) {
  for (const io::PackSource& source : recipe.sources) PINTLE_TRY(check_source(source));
  if (recipe.pack.variants.empty()) return {};
  return io::check_pack(recipe.pack);
}

Result<Built> build(io::PackRecipe recipe) {
  Built built{std::move(recipe.pack), {}};
  for (const io::PackSource& source : recipe.sources) add(source, built);
  if (built.pack.variants.empty() && !built.missing.empty()) return nothing_built(built);
  PINTLE_TRY(io::check_pack(built.pack));
  return built;
}

}  // namespace pintle::cli
