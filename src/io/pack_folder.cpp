// A pack as a folder: pack.json and the files that it names.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/contain.h"
#include "base/file.h"
#include "base/quote.h"
#include "io/pack.h"
#include "io/pack_json.h"

namespace pintle::io {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t longest_description = 16 << 20;

std::string reading(const fs::path& path) { return fmt::format("reading {}", base::quote(path.string(), 4096)); }

/// The file's true place, when that lies within the folder; a link may lead anywhere.
Result<fs::path> inside(const fs::path& folder, const std::string& file, const JsonView& place) {
  const fs::path relative(file);
  const bool climbs = std::ranges::find(relative, fs::path("..")) != relative.end();
  if (file.empty() || climbs || !relative.is_relative() || file.find('\0') != std::string::npos) {
    return place.expected("a relative path without \"..\"");
  }
  std::error_code none;
  const fs::path root = fs::weakly_canonical(folder, none);
  const fs::path target = fs::weakly_canonical(folder / relative, none);
  const auto [end, rest] = std::ranges::mismatch(root, target);
  if (end != root.end()) return place.expected(fmt::format("a file inside {}", base::quote(folder.string(), 4096)));
  return target;
}

Result<std::vector<std::byte>> code_of(const JsonView& variant, std::string_view format, const fs::path& folder) {
  if (format == "native" && !variant.has("file")) return std::vector<std::byte>();
  PINTLE_ASSIGN(place, variant.member("file"));
  if (format == "native") return place.expected("no file for the format \"native\"");
  PINTLE_ASSIGN(file, place.text());
  PINTLE_ASSIGN(path, inside(folder, file, place));
  auto bytes = base::read_file(path);
  if (!bytes) return bytes.error().during(fmt::format("reading {} of the description", place.path()));
  return bytes;
}

/// Empty where there is none.
Result<std::vector<Entry>> entries_of(const JsonView& object) {
  if (!object.has("entries")) return std::vector<Entry>();
  PINTLE_ASSIGN(list, object.member("entries"));
  return parse_entries(list);
}

Result<std::string> target_of(const JsonView& variant) {
  if (!variant.has("target")) return std::string();
  PINTLE_ASSIGN(place, variant.member("target"));
  return place.text();
}

Result<PackVariant> variant_from(const JsonView& view, const std::vector<Entry>& common, const fs::path& folder) {
  PINTLE_TRY(view.has_only({"format", "target", "file", "entries"}));
  PINTLE_ASSIGN(format_view, view.member("format"));
  PINTLE_ASSIGN(format, format_view.text());
  PINTLE_ASSIGN(target, target_of(view));
  PINTLE_ASSIGN(own, entries_of(view));
  PINTLE_ASSIGN(code, code_of(view, format, folder));
  return PackVariant{std::move(format), std::move(target), view.has("entries") ? std::move(own) : common,
                     std::move(code)};
}

Result<Pack> pack_from(const JsonView& view, const fs::path& folder) {
  PINTLE_TRY(view.has_only({"name", "entries", "variants"}));
  PINTLE_ASSIGN(name_view, view.member("name"));
  PINTLE_ASSIGN(name, name_view.text());
  PINTLE_ASSIGN(common, entries_of(view));
  PINTLE_ASSIGN(list, view.member("variants"));
  PINTLE_ASSIGN(items, list.items());
  Pack pack{std::move(name), {}};
  for (const JsonView& item : items) {
    PINTLE_ASSIGN(variant, variant_from(item, common, folder));
    pack.variants.push_back(std::move(variant));
  }
  PINTLE_TRY(check_pack(pack));
  return pack;
}

Result<Pack> read_folder(const fs::path& folder) {
  const fs::path description = folder / "pack.json";
  PINTLE_ASSIGN(bytes, base::read_file(description, longest_description));
  auto pack = pack_from_json(base::text_in(bytes), folder);
  if (!pack) return pack.error().during(reading(description));
  return pack;
}

Result<Pack> read_file(const fs::path& path) {
  PINTLE_ASSIGN(bytes, base::read_file(path));
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

Result<Pack> pack_from_json(std::string_view json, const fs::path& folder) {
  return base::contain("reading a description", [&]() -> Result<Pack> {
    PINTLE_ASSIGN(document, parse_json(json));
    return pack_from(JsonView(document), folder);
  });
}

Result<Pack> read_pack(const fs::path& path) {
  return base::contain("reading a pack", [&] {
    std::error_code none;
    return fs::is_directory(path, none) ? read_folder(path) : read_file(path);
  });
}

}  // namespace pintle::io
