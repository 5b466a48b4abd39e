// Declared signatures against those of Slang's own reflection.
#include <fmt/format.h>

#include <algorithm>

#include "base/quote.h"
#include "cli/compilers/slang.h"
#include "cli/compilers/slang_signatures.h"

namespace pintle::cli {
namespace {

/// Slang knows one access for buffers and images that are written, so a declaration may say more: `write`. It may leave
/// the texel of an image open.
bool agrees(const Parameter& declared, const Parameter& found) {
  const bool more = declared.access == Access::write && found.access == Access::read_write;
  return declared.name == found.name && declared.kind == found.kind && declared.dtype == found.dtype &&
         declared.dimensions == found.dimensions && declared.is_sampled == found.is_sampled &&
         (!declared.texel || declared.texel == found.texel) &&
         (declared.kind == Parameter::Kind::scalar || declared.access == found.access || more);
}

bool agrees(const Entry& declared, const Entry& found) {
  return declared.group_size == found.group_size &&
         std::ranges::equal(declared.parameters, found.parameters,
                            [](const Parameter& one, const Parameter& other) { return agrees(one, other); });
}

/// The declared local memory is for other variants: Slang's own is in the code.
Result<void> compare(const io::PackSource& source, const std::vector<SlangEntry>& there) {
  for (const Entry& declared : source.entries) {
    const auto found = std::ranges::find(there, declared.name, [](const SlangEntry& each) { return each.entry.name; });
    if (found == there.end() || agrees(declared, found->entry)) continue;  // a missing entry is found by its name
    return Error(
        Errc::build_failed,
        fmt::format("Source {} declares its entry otherwise than the signature says:\n signature: {}\n source: "
                    "   {}",
                    base::quote(source.file), declared.signature(), found->entry.signature()));
  }
  return {};
}

}  // namespace

bool is_listed(const io::PackSource& source, std::string_view entry) {
  return std::ranges::find(source.entries, entry, &Entry::name) != source.entries.end();
}

Result<std::vector<std::string>> entries_of_slang(const io::PackSource& source) {
  PINTLE_ASSIGN(there, slang_entries(source));
  PINTLE_TRY(compare(source, there));
  std::vector<std::string> names;
  for (const SlangEntry& each : there) names.push_back(each.entry.name);
  return names;
}

Result<void> complete_entries(io::PackRecipe& recipe) {
  std::vector<Entry> read;
  for (io::PackSource& source : recipe.sources) {
    if (source.language != io::Language::slang || !source.entries.empty()) continue;
    PINTLE_ASSIGN(there, slang_entries(source));
    for (const SlangEntry& each : there) source.entries.push_back(each.entry);
    if (source.entries.empty())
      return Error(Errc::build_failed, fmt::format("Source {} has no compute entry: [shader(\"compute\")] marks one.",
                                                   base::quote(source.file)));
    read.insert(read.end(), source.entries.begin(), source.entries.end());
  }
  for (io::PackSource& source : recipe.sources) {
    if (source.entries.empty()) source.entries = read;
  }
  for (io::PackVariant& variant : recipe.pack.variants) {
    if (variant.entries.empty()) variant.entries = read;
  }
  return {};
}

}  // namespace pintle::cli
