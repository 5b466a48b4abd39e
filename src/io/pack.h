// The pack container: variants of one program in a folder or a single file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/entry.h"
#include "pintle/error.h"

namespace pintle::io {

/// One program in one format.
struct PackVariant {
  std::string format;  // "c", "so", "native", "spirv", ...
  std::string target;  // the machine that it was built for: "x86_64-linux"; empty = any
  std::vector<Entry> entries;
  std::vector<std::byte> code;  // source text, an image, or nothing for "native"
  std::string language{};       // the version of a source's language: "CL2.0", "c17"; empty: the device's choice
  friend bool operator==(const PackVariant&, const PackVariant&) = default;
};

/// A pack in memory.
struct Pack {
  std::string name;
  std::vector<PackVariant> variants;
  friend bool operator==(const Pack&, const Pack&) = default;
};

/// Checks the rules of every pack, whatever its source: names are identifiers, nothing is there twice, an entry has the
/// same parameters in every variant, "native" has no code and all other formats have some, a shared object is whole.
/// `invalid_argument` names the place ("$.variants[1]").
[[nodiscard]] Result<void> check_pack(const Pack& pack);

/// Reads a pack file's bytes: magic, version, checksum, header, code. `invalid_argument` names the offset and what was
/// expected.
[[nodiscard]] Result<Pack> parse_pack(std::span<const std::byte> bytes);
[[nodiscard]] Result<std::vector<std::byte>> serialize_pack(const Pack& pack);
/// Reads a pack file, or a folder that holds pack.json and the files that it names.
[[nodiscard]] Result<Pack> read_pack(const std::filesystem::path& path);
/// Writes a single file, by atomic rename.
[[nodiscard]] Result<void> write_pack(const Pack& pack, const std::filesystem::path& path);
/// Builds a pack from a JSON description; its files are relative to `folder`. `invalid_argument` names the JSON path.
/// {"name":"blur","entries":["blur(in: read f32[], ...) group 16,16"],"variants":[{"format":"c","file":"blur.c"},
///  {"format":"so","target":"x86_64-linux","file":"blur.so","entries":[...]}]}; a variant without entries takes the top
///  ones. Only `pintle pack` compiles "sources" (`pack_recipe.h`); this function takes the sources that a device can
///  take unchanged.
[[nodiscard]] Result<Pack> pack_from_json(std::string_view json, const std::filesystem::path& folder);

}  // namespace pintle::io
