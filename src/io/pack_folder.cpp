// A pack as a description: pack.json and the files that it names.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/contain.h"
#include "base/file.h"
#include "base/join_path.h"
#include "base/quote.h"
#include "io/pack.h"
#include "io/pack_json.h"
#include "io/pack_options.h"
#include "io/pack_recipe.h"

namespace pintle::io {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t longest_description = 16 << 20;
constexpr std::uint64_t longest_code = 1ull << 30;
constexpr std::uint64_t longest_pack = 4ull << 30;

std::string reading(const fs::path& path) { return fmt::format("reading {}", base::quote(path.string(), 4096)); }

/// The file's real path, when it lies within the folder; a link may lead anywhere.
Result<fs::path> inside(const fs::path& folder, const std::string& file, const JsonView& place) {
  const fs::path relative(file);
  const bool climbs = std::ranges::find(relative, fs::path("..")) != relative.end();
  if (file.empty() || climbs || !relative.is_relative() || file.find('\0') != std::string::npos) {
    return place.expected("a relative path without \"..\"");
  }
  std::error_code none;
  const fs::path there = folder.empty() ? fs::path(".") : folder;  // the path was a bare file name
  const fs::path root = fs::weakly_canonical(there, none);
  const fs::path target = fs::weakly_canonical(there / relative, none);
  const auto [end, rest] = std::ranges::mismatch(root, target);
  if (root.empty() || end != root.end())
    return place.expected(fmt::format("a file inside {}", base::quote(there.string(), 4096)));
  return target;
}

Result<std::vector<std::byte>> code_of(const JsonView& variant, std::string_view format, const fs::path& folder) {
  if (format == "native" && !variant.has("file")) return std::vector<std::byte>();
  PINTLE_ASSIGN(place, variant.member("file"));
  if (format == "native") return place.expected("no file for the format \"native\"");
  PINTLE_ASSIGN(file, place.text());
  PINTLE_ASSIGN(path, inside(folder, file, place));
  auto bytes = base::read_regular_file(path, longest_code);
  if (!bytes) return bytes.error().during(fmt::format("reading {} of the description", place.path()));
  return bytes;
}

/// Empty where there is no list.
Result<std::vector<Entry>> entries_of(const JsonView& object) {
  if (!object.has("entries")) return std::vector<Entry>();
  PINTLE_ASSIGN(list, object.member("entries"));
  return parse_entries(list);
}

/// Empty where there is none.
Result<std::string> text_of(const JsonView& object, std::string_view key) {
  if (!object.has(key)) return std::string();
  PINTLE_ASSIGN(place, object.member(key));
  return place.text();
}

Result<PackVariant> variant_from(const JsonView& view, const std::vector<Entry>& common, const fs::path& folder) {
  PINTLE_TRY(view.has_only({"format", "target", "file", "entries", "language"}));
  PINTLE_ASSIGN(format_view, view.member("format"));
  PINTLE_ASSIGN(format, format_view.text());
  PINTLE_ASSIGN(target, text_of(view, "target"));
  PINTLE_ASSIGN(language, text_of(view, "language"));
  PINTLE_ASSIGN(own, entries_of(view));
  PINTLE_ASSIGN(code, code_of(view, format, folder));
  return PackVariant{std::move(format), std::move(target), view.has("entries") ? std::move(own) : common,
                     std::move(code), std::move(language)};
}

Result<std::vector<std::string>> formats_of(const JsonView& source) {
  std::vector<std::string> formats;
  if (!source.has("formats")) return formats;
  PINTLE_ASSIGN(list, source.member("formats"));
  PINTLE_ASSIGN(items, list.items());
  if (items.empty()) return list.expected("at least one format");
  for (const JsonView& item : items) {
    PINTLE_ASSIGN(format, item.text());
    formats.push_back(std::move(format));
  }
  return formats;
}

Result<std::vector<fs::path>> include_folders_of(const JsonView& source, const fs::path& folder) {
  std::vector<fs::path> folders;
  if (!source.has("include_folders")) return folders;
  PINTLE_ASSIGN(list, source.member("include_folders"));
  PINTLE_ASSIGN(items, list.items());
  for (const JsonView& item : items) {
    PINTLE_ASSIGN(name, item.text());
    PINTLE_ASSIGN(path, inside(folder, name, item));
    folders.push_back(std::move(path));
  }
  return folders;
}

/// Macros, folders of included files, and the version of the language.
Result<SourceOptions> options_of(const JsonView& source, const fs::path& folder) {
  SourceOptions options;
  PINTLE_ASSIGN(folders, include_folders_of(source, folder));
  options.folders = std::move(folders);
  PINTLE_ASSIGN(version, text_of(source, "language"));
  options.version = std::move(version);
  if (!source.has("macros")) return options;
  PINTLE_ASSIGN(place, source.member("macros"));
  PINTLE_ASSIGN(macros, place.members());
  for (const auto& [name, value] : macros) {
    PINTLE_ASSIGN(text, value.text());
    const auto macro = parse_macro(name + "=" + text);
    if (!macro) return value.expected("a macro: an identifier, and a text of one line");
    options.macros.push_back(*macro);
  }
  return options;
}

Result<PackSource> source_from(const JsonView& view, const std::vector<Entry>& common, const fs::path& folder) {
  PINTLE_TRY(view.has_only({"file", "formats", "entries", "macros", "include_folders", "language"}));
  PINTLE_ASSIGN(place, view.member("file"));
  PINTLE_ASSIGN(file, place.text());
  if (!language_of(file)) return place.expected("a file that ends with .c, .cl, .comp, .glsl, .hlsl or .slang");
  PINTLE_ASSIGN(formats, formats_of(view));
  PINTLE_ASSIGN(own, entries_of(view));
  PINTLE_ASSIGN(path, inside(folder, file, place));
  auto source = read_source(path);
  if (!source) return source.error().during(fmt::format("reading {} of the description", place.path()));
  PINTLE_ASSIGN(options, options_of(view, folder));
  const auto applied = apply(options, path.parent_path(), folder.empty() ? fs::path(".") : folder, *source);
  if (!applied) return applied.error().during(fmt::format("reading {} of the description", place.path()));
  source->formats = std::move(formats);
  if (view.has("entries")) source->entries = std::move(own);
  else source->entries = common;
  return source;
}

/// The items of a list. The list may be missing.
Result<std::vector<JsonView>> items_of(const JsonView& view, std::string_view key) {
  if (!view.has(key)) return std::vector<JsonView>();
  PINTLE_ASSIGN(list, view.member(key));
  return list.items();
}

Result<PackRecipe> recipe_from(const JsonView& view, const fs::path& folder) {
  PINTLE_TRY(view.has_only({"name", "entries", "variants", "sources"}));
  PINTLE_ASSIGN(name_view, view.member("name"));
  PINTLE_ASSIGN(name, name_view.text());
  PINTLE_ASSIGN(common, entries_of(view));
  if (!view.has("sources")) PINTLE_TRY(view.member("variants"));
  PINTLE_ASSIGN(variants, items_of(view, "variants"));
  PINTLE_ASSIGN(sources, items_of(view, "sources"));
  PackRecipe recipe{{std::move(name), {}}, {}};
  for (const JsonView& item : variants) {
    PINTLE_ASSIGN(variant, variant_from(item, common, folder));
    recipe.pack.variants.push_back(std::move(variant));
  }
  for (const JsonView& item : sources) {
    PINTLE_ASSIGN(source, source_from(item, common, folder));
    recipe.sources.push_back(std::move(source));
  }
  return recipe;
}

/// Needs no compiler: takes the variants, and the sources that devices take as they are.
Result<Pack> pack_from(PackRecipe recipe) {
  for (const PackSource& source : recipe.sources) {
    const std::string_view format = source_format(source.language);
    if (format.empty() || !source.becomes(format)) continue;
    const auto code = base::bytes_in(source.text);
    recipe.pack.variants.push_back(
        {std::string(format), {}, source.entries, {code.begin(), code.end()}, source.version});
  }
  PINTLE_TRY(check_pack(recipe.pack));
  return std::move(recipe.pack);
}

/// Reads the description at `path` with `read`, a function of the text and the folder.
template <class Read>
auto with_description(const fs::path& path, Read read) -> decltype(read(std::string_view(), fs::path())) {
  PINTLE_ASSIGN(bytes, base::read_regular_file(path, longest_description));
  auto result = read(base::text_in(bytes), path.parent_path());
  if (!result) return result.error().during(reading(path));
  return result;
}

Result<Pack> read_file(const fs::path& path) {
  PINTLE_ASSIGN(bytes, base::read_regular_file(path, longest_pack));
  auto pack = parse_pack(bytes);
  if (!pack) return pack.error().during(reading(path));
  return pack;
}

}  // namespace

Result<std::vector<Entry>> parse_entries(const JsonView& list) {
  PINTLE_ASSIGN(items, list.items());
  std::vector<Entry> entries;
  for (const JsonView& item : items) {
    PINTLE_ASSIGN(signature, item.text());
    const auto entry = Entry::parse(signature);
    if (!entry) return entry.error().during(fmt::format("reading {}", item.path()));
    entries.push_back(*entry);
  }
  return entries;
}

Result<PackRecipe> recipe_from_json(std::string_view json, const fs::path& folder) {
  return base::contain("reading a description", [&]() -> Result<PackRecipe> {
    PINTLE_ASSIGN(document, parse_json(json));
    return recipe_from(JsonView(document), folder);
  });
}

Result<PackRecipe> read_recipe(const fs::path& path) {
  return base::contain("reading a description", [&] {
    std::error_code none;
    return with_description(fs::is_directory(path, none) ? base::join_path(path, "pack.json") : path, recipe_from_json);
  });
}

Result<Pack> pack_from_json(std::string_view json, const fs::path& folder) {
  return base::contain("reading a description", [&]() -> Result<Pack> {
    PINTLE_ASSIGN(recipe, recipe_from_json(json, folder));
    return pack_from(std::move(recipe));
  });
}

Result<Pack> read_pack(const fs::path& path) {
  return base::contain("reading a pack", [&] {
    std::error_code none;
    return fs::is_directory(path, none) ? with_description(base::join_path(path, "pack.json"), pack_from_json)
                                        : read_file(path);
  });
}

}  // namespace pintle::io
