// The rules of a pack.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/contain.h"
#include "base/elf.h"
#include "base/quote.h"
#include "base/signature.h"
#include "io/pack.h"
#include "io/pack_options.h"

namespace pintle::io {
namespace {

Error broken(std::string_view path, std::string_view sentence) {
  return {Errc::invalid_argument, fmt::format("Pack at {} {}", path, sentence)};
}

bool is_format(std::string_view text) noexcept {
  const auto lower = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return base::is_identifier(text) && std::ranges::all_of(text, lower);
}

bool is_target(std::string_view text) noexcept {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:+";
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

/// An entry is written and read back, which applies every rule of a signature.
Result<void> check_entry(const Entry& entry, std::string_view path) {
  const auto again = Entry::parse(base::signature_of(entry));
  if (!again) return again.error().during(fmt::format("checking {} of a pack", path));
  if (*again != entry) return broken(path, "is an entry that no signature describes.");
  return {};
}

Result<void> check_entries(const PackVariant& variant, std::string_view path) {
  if (variant.entries.empty()) return broken(path, "has no entries.");
  std::set<std::string_view> names;
  for (std::size_t index = 0; index < variant.entries.size(); ++index) {
    const Entry& entry = variant.entries[index];
    const std::string place = fmt::format("{}.entries[{}]", path, index);
    PINTLE_TRY(check_entry(entry, place));
    if (names.insert(entry.name).second) continue;
    return broken(place, fmt::format("names the entry {} a second time.", base::quote(entry.name)));
  }
  return {};
}

Result<void> check_shared_object(const PackVariant& variant, std::string_view path) {
  const auto whole = base::check_elf(variant.code);
  if (!whole) return whole.error().during(fmt::format("checking {} of a pack", path));
  return {};
}

Result<void> check_code(const PackVariant& variant, std::string_view path) {
  const bool native = variant.format == "native";
  if (native == variant.code.empty())
    return variant.format == "so" ? check_shared_object(variant, path) : Result<void>();
  if (native)
    return broken(path, fmt::format("has {} bytes of code where \"native\" takes none.", variant.code.size()));
  return broken(path, fmt::format("has no code for the format {}.", base::quote(variant.format)));
}

/// A version goes to a compiler's command line, so that only known ones pass.
Result<void> check_language(const PackVariant& variant, std::string_view path) {
  if (variant.language.empty()) return {};
  for (const Language language : {Language::opencl_c, Language::c}) {
    if (variant.format == source_format(language) && is_version(language, variant.language)) return {};
  }
  return broken(path, fmt::format("has the language {} for the format {}; opencl_c and c have versions ({}).",
                                  base::quote(variant.language), base::quote(variant.format), version_names()));
}

Result<void> check_variant(const PackVariant& variant, std::string_view path) {
  if (!is_format(variant.format)) {
    return broken(path, fmt::format("has the format {} where lower-case letters, digits and \"_\" are expected.",
                                    base::quote(variant.format)));
  }
  if (!is_target(variant.target)) {
    return broken(path, fmt::format("has the target {} where letters, digits and \"_-.:+\" are expected.",
                                    base::quote(variant.target)));
  }
  PINTLE_TRY(check_code(variant, path));
  PINTLE_TRY(check_language(variant, path));
  return check_entries(variant, path);
}

/// Checks variants of one program together: none is there twice, and an entry has the same parameters in all.
class Siblings {
 public:
  Result<void> add(const PackVariant& variant, std::string_view path) {
    if (!kinds_.emplace(variant.format, variant.target).second) {
      return broken(path, fmt::format("is a second variant with the format {} and the target {}.",
                                      base::quote(variant.format), base::quote(variant.target)));
    }
    for (const Entry& entry : variant.entries) {
      const Entry& first = *entries_.emplace(entry.name, &entry).first->second;
      if (first.parameters == entry.parameters) continue;
      return broken(path, fmt::format("declares {} where an earlier variant declares {}.",
                                      base::quote(base::signature_of(entry)), base::quote(base::signature_of(first))));
    }
    return {};
  }

 private:
  std::set<std::pair<std::string_view, std::string_view>> kinds_;
  std::map<std::string_view, const Entry*> entries_;
};

Result<void> check(const Pack& pack) {
  if (!base::is_identifier(pack.name)) {
    return broken("$.name", fmt::format("is {} where an identifier is expected.", base::quote(pack.name)));
  }
  if (pack.variants.empty()) return broken("$.variants", "has no variants.");
  Siblings siblings;
  for (std::size_t index = 0; index < pack.variants.size(); ++index) {
    const std::string path = fmt::format("$.variants[{}]", index);
    PINTLE_TRY(check_variant(pack.variants[index], path));
    PINTLE_TRY(siblings.add(pack.variants[index], path));
  }
  return {};
}

}  // namespace

Result<void> check_pack(const Pack& pack) {
  return base::contain("checking a pack", [&] { return check(pack); });
}

}  // namespace pintle::io
