#include "amdgcn/code_bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "amdgcn/code_target.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/quote.h"

namespace pintle::amdgcn {
namespace {

using base::quote;
using Bytes = std::span<const std::byte>;

constexpr std::string_view plain_mark = "__CLANG_OFFLOAD_BUNDLE__", compressed_mark = "CCOB";

struct BundleEntry {
  std::string_view name;
  Bytes code;
};

/// Behind the mark stands the number of entries; of each, its offset, its size, and its name behind the name's length.
Result<std::vector<BundleEntry>> entries_in(Bytes bundle) {
  const auto cut_short = [&](std::uint64_t index) {
    return Error(
        Errc::build_failed,
        fmt::format("Offload bundle is cut short: its entry ({}) ends behind its ({}) bytes.", index, bundle.size()));
  };
  std::uint64_t at = plain_mark.size() + sizeof(std::uint64_t);
  const auto count = base::load_little<std::uint64_t>(bundle, plain_mark.size());
  if (!count) return cut_short(0);
  std::vector<BundleEntry> entries;
  for (std::uint64_t index = 0; index < *count; ++index) {
    const auto offset = base::load_little<std::uint64_t>(bundle, at),
               size = base::load_little<std::uint64_t>(bundle, at + 8),
               length = base::load_little<std::uint64_t>(bundle, at + 16);
    at += 3 * sizeof(std::uint64_t);
    if (!length || !base::range_fits(at, *length, bundle.size()) || !base::range_fits(*offset, *size, bundle.size()))
      return cut_short(index);
    entries.push_back({base::text_in(bundle.subspan(at, *length)), bundle.subspan(*offset, *size)});
    at += *length;
  }
  return entries;
}

Error nothing_fits(const std::vector<BundleEntry>& entries, std::string_view target) {
  constexpr std::size_t most = 16;
  std::string names;
  for (const BundleEntry& entry : std::span(entries).first(std::min(most, entries.size())))
    names += fmt::format("{}{}", names.empty() ? "" : ", ", quote(entry.name));
  if (entries.size() > most) names += fmt::format(" and ({}) more", entries.size() - most);
  return {Errc::build_failed,
          fmt::format("Offload bundle has no entry for {}; it has {}.", quote(target), names.empty() ? "none" : names)};
}

}  // namespace

bool is_bundle(Bytes code) noexcept {
  const std::string_view text = base::text_in(code);
  return text.starts_with(plain_mark) || text.starts_with(compressed_mark);
}

Result<Bytes> code_in_bundle(Bytes bundle, std::string_view target) {
  if (!base::text_in(bundle).starts_with(plain_mark))
    return Error(
        Errc::build_failed,
        "Offload bundle is compressed (CCOB), which is not read here: compile it with --no-offload-compress, or "
        "take its code object out with clang-offload-bundler --unbundle.");
  PINTLE_ASSIGN(entries, entries_in(bundle));
  Fit best = Fit::none;
  Bytes code;
  for (const BundleEntry& entry : entries) {
    const Fit found = entry.name.starts_with("hip") ? fit(target_in(entry.name), target) : Fit::none;
    if (found <= best) continue;
    best = found;
    code = entry.code;
  }
  if (best == Fit::none) return nothing_fits(entries, target);
  return code;
}

}  // namespace pintle::amdgcn
