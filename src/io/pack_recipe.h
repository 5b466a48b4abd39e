// The contents of a description: finished variants, and sources from which `pintle pack` builds more variants.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/pack.h"

namespace pintle::io {

/// The language of a source.
enum class Language : std::uint8_t { c, opencl_c, glsl, hlsl, slang, wgsl, stablehlo };

/// Finds the language by the ending: .c, .cl, .comp or .glsl, .hlsl, .slang, .wgsl, .mlir. Empty for any other ending.
[[nodiscard]] std::optional<Language> language_of(const std::filesystem::path& file);
/// The format of a program that is such a source, unchanged; empty where devices take none.
[[nodiscard]] std::string_view source_format(Language language) noexcept;

/// One source file of a program.
struct PackSource {
  std::string file;  // its name alone: "edges.cl"
  Language language = Language::c;
  std::vector<std::string> formats;  // to build from it; empty: all formats of its language
  std::vector<Entry> entries;
  std::string text;
  std::string version{};  // of the language: "CL2.0", "c17"; empty: the compiler's choice

  [[nodiscard]] bool becomes(std::string_view format) const;
  friend bool operator==(const PackSource&, const PackSource&) = default;
};

/// Reads a source file. `invalid_argument` lists the known endings.
[[nodiscard]] Result<PackSource> read_source(const std::filesystem::path& file);

/// A pack in the making: `pack` may still be without variants.
struct PackRecipe {
  Pack pack;
  std::vector<PackSource> sources;
  friend bool operator==(const PackRecipe&, const PackRecipe&) = default;
};

/// Reads a JSON description as `pack_from_json` does. Beside or instead of "variants" it may have
/// "sources":[{"file":"blur.cl","formats":["so","spirv_opencl"],"entries":[...],"macros":{"N":"8"},
/// "include_folders":["include"],"language":"CL2.0"}]. A source without formats becomes all formats of its language.
[[nodiscard]] Result<PackRecipe> recipe_from_json(std::string_view json, const std::filesystem::path& folder);
/// Reads a description's file, or the pack.json of a folder.
[[nodiscard]] Result<PackRecipe> read_recipe(const std::filesystem::path& path);

}  // namespace pintle::io
