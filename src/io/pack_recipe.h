// What a description asks for: variants that are there, and sources from which `pintle pack` builds more.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/pack.h"

namespace pintle::io {

/// What a source is written in.
enum class Language : std::uint8_t { c, opencl_c, glsl, hlsl };

/// By the ending: .c, .cl, .comp or .glsl, .hlsl. Empty for any other.
[[nodiscard]] std::optional<Language> language_of(const std::filesystem::path& file);
/// The format of programs that are such a source as it is; empty where devices take none.
[[nodiscard]] std::string_view source_format(Language language) noexcept;

/// One source file of a program.
struct PackSource {
  std::string file;  // its name alone: "edges.cl"
  Language language = Language::c;
  std::vector<std::string> formats;  // that it is to become; empty: every one that its language has
  std::vector<Entry> entries;
  std::string text;

  [[nodiscard]] bool becomes(std::string_view format) const;
  friend bool operator==(const PackSource&, const PackSource&) = default;
};

/// Reads a source file. `invalid_argument` names the endings that there are.
[[nodiscard]] Result<PackSource> read_source(const std::filesystem::path& file);

/// A pack in the making: `pack` may still be without variants.
struct PackRecipe {
  Pack pack;
  std::vector<PackSource> sources;
  friend bool operator==(const PackRecipe&, const PackRecipe&) = default;
};

/// Reads a JSON description: that of `pack_from_json`, and beside or instead of "variants"
/// "sources":[{"file":"blur.cl","formats":["so","spirv_opencl"],"entries":[...]}]; a source without formats becomes all
/// that its language has.
[[nodiscard]] Result<PackRecipe> recipe_from_json(std::string_view json, const std::filesystem::path& folder);
/// Reads a description's file, or the pack.json of a folder.
[[nodiscard]] Result<PackRecipe> read_recipe(const std::filesystem::path& path);

}  // namespace pintle::io
