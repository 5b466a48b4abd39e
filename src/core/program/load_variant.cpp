// The choice of a variant for a device, and its loading.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "base/constant.h"
#include "base/contain.h"
#include "base/quote.h"
#include "base/timeout.h"
#include "core/door/describe.h"
#include "core/program/program_pack.h"
#include "registry/takes.h"

namespace pintle::core {
namespace {

std::string or_none(std::string text) { return text.empty() ? "none" : std::move(text); }

std::string text_of(const io::PackVariant& variant) {
  if (variant.target.empty()) return fmt::format("format {}", base::quote(variant.format));
  return fmt::format("format {} for {}", base::quote(variant.format), base::quote(variant.target));
}

/// Whether a constant decides a side of a group of any variant.
bool is_side(const io::Pack& pack, std::string_view name) {
  return std::ranges::any_of(pack.variants, [&](const io::PackVariant& variant) {
    return std::ranges::any_of(variant.entries, [&](const Entry& entry) {
      return std::ranges::find(entry.group_constants, name) != entry.group_constants.end();
    });
  });
}

std::vector<backend::Constant> constants_of(const io::Pack& pack, const LoadOptions& options) {
  std::vector<backend::Constant> constants;
  for (const auto& [name, value] : options.constants)
    constants.push_back({name, value.dtype, value.bytes, is_side(pack, name)});
  return constants;
}

std::vector<backend::Macro> macros_of(const LoadOptions& options) {
  std::vector<backend::Macro> macros;
  for (const auto& [name, text] : options.macros) macros.push_back({name, text});
  return macros;
}

std::vector<std::string> folders_of(const LoadOptions& options) {
  std::vector<std::string> folders;
  for (const std::filesystem::path& folder : options.include_folders) folders.push_back(folder.string());
  return folders;
}

/// The side that a constant gives a group: a whole number of at least 1.
Result<std::uint32_t> side_of(const std::string& name, const ScalarValue& value) {
  const auto size = base::whole_number(value);
  if (size && *size >= 1 && *size <= std::numeric_limits<std::uint32_t>::max())
    return static_cast<std::uint32_t>(*size);
  return invalid(fmt::format("Constant {} ({}) is a side of a group, and its value is no whole number from 1 to {}.",
                             base::quote(name), pintle::name(value.dtype), std::numeric_limits<std::uint32_t>::max()));
}

/// The entries with the groups that the constants give them.
Result<std::vector<Entry>> with_sides(std::vector<Entry> entries, const LoadOptions& options) {
  for (Entry& entry : entries) {
    const std::array sides{&entry.group_size.x, &entry.group_size.y, &entry.group_size.z};
    for (std::size_t index = 0; index < sides.size(); ++index) {
      const auto given = options.constants.find(entry.group_constants[index]);
      if (given == options.constants.end()) continue;
      PINTLE_ASSIGN(size, side_of(given->first, given->second));
      *sides[index] = size;
    }
  }
  return entries;
}

/// Why a variant does not have the side that a constant gives a group: it was compiled for another one. Empty where the
/// constant decides, or says what is there anyway.
std::string refusal_of_sides(const io::Pack& pack, std::span<const Entry> entries, const LoadOptions& options) {
  for (const io::PackVariant& other : pack.variants) {
    for (const Entry& named : other.entries) {
      const auto own = std::ranges::find(entries, named.name, &Entry::name);
      if (own == entries.end() || own->group_constants == named.group_constants) continue;
      const std::array sides{own->group_size.x, own->group_size.y, own->group_size.z};
      for (std::size_t index = 0; index < sides.size(); ++index) {
        const auto given = options.constants.find(named.group_constants[index]);
        if (given == options.constants.end() || !own->group_constants[index].empty()) continue;
        if (base::whole_number(given->second) == sides[index]) continue;
        return fmt::format("in the entry {} the constant {} is given, and the group ({}) is compiled in",
                           base::quote(named.name), base::quote(given->first), fmt::join(sides, ","));
      }
    }
  }
  return {};
}

/// What the compiled code needs becomes part of the loaded entries, where each launch is checked.
void raise(std::span<const backend::Alignment> alignments, std::vector<Entry>& entries) {
  for (const auto& [entry, parameter, bytes] : alignments) {
    std::uint32_t& alignment = entries[entry].parameters[parameter].alignment;
    alignment = std::max(alignment, bytes);
  }
}

bool ends_the_choice(Errc code) noexcept {
  return code == Errc::device_lost || code == Errc::process_poisoned || code == Errc::out_of_memory ||
         code == Errc::timeout;
}

/// Tries variants and remembers why each was refused.
class Chooser {
 public:
  Chooser(backend::Device& device, const DeviceInfo& info, const io::Pack& pack, const LoadOptions& options,
          Deadline deadline)
      : device_(device),
        info_(info),
        pack_(pack),
        options_(options),
        deadline_(deadline),
        constants_(constants_of(pack, options)),
        macros_(macros_of(options)),
        folders_(folders_of(options)),
        refusals_(pack.variants.size()) {}
  Chooser(const Chooser&) = delete;
  Chooser& operator=(const Chooser&) = delete;
  ~Chooser() {
    if (best_) device_.unload(best_->id);
  }

  Result<LoadedVariant> choose() {
    const std::vector<std::size_t> order = by_target();
    for (const std::string& format : info_.formats) {
      for (const std::size_t i : order) {
        if (!refusals_[i].empty() || (format != "*" && format != pack_.variants[i].format)) continue;
        PINTLE_ASSIGN(loaded, try_one(i));
        if (loaded && take(*std::move(loaded))) return *std::exchange(best_, std::nullopt);
      }
    }
    if (best_) return *std::exchange(best_, std::nullopt);
    for (const std::size_t i : partial_) {  // none takes every entry
      PINTLE_ASSIGN(loaded, try_part(i));
      if (loaded) return std::move(*loaded);
    }
    return failure();
  }

 private:
  /// Whether the variant has every entry. One that lacks some is kept until another has all.
  bool take(LoadedVariant loaded) {
    const bool is_whole = loaded.left_out.empty();
    if (best_) device_.unload(is_whole ? best_->id : loaded.id);
    if (!best_ || is_whole) best_ = std::move(loaded);
    return is_whole;
  }

  /// Variants in the order in which the device prefers their targets; among equals, as they stand in the pack.
  [[nodiscard]] std::vector<std::size_t> by_target() const {
    const auto rank = [this](std::size_t index) {
      const auto place = std::ranges::find(info_.better_targets, pack_.variants[index].target);
      return std::pair(place - info_.better_targets.begin(), index);
    };
    std::vector<std::size_t> order(pack_.variants.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, rank);
    return order;
  }

  /// Loads one variant; empty when the variant is refused.
  Result<std::optional<LoadedVariant>> try_one(std::size_t index) {
    const io::PackVariant& variant = pack_.variants[index];
    PINTLE_ASSIGN(entries, with_sides(variant.entries, options_));
    refusals_[index] = registry::refusal_of_target(variant, info_);
    if (refusals_[index].empty()) refusals_[index] = refusal_of_sides(pack_, entries, options_);
    if (!refusals_[index].empty()) return std::optional<LoadedVariant>();
    refusals_[index] = registry::refusal_of_entries(entries, info_);
    if (refusals_[index].empty()) return load(index, std::move(entries), {});
    if (registry::has_fitting(entries, info_)) partial_.push_back(index);
    return std::optional<LoadedVariant>();
  }

  /// Loads the entries of a variant that the device can run, without the others.
  Result<std::optional<LoadedVariant>> try_part(std::size_t index) {
    PINTLE_ASSIGN(entries, with_sides(pack_.variants[index].entries, options_));
    std::vector<backend::LeftOut> left_out;
    std::erase_if(entries, [&](Entry& entry) {
      const std::string refusal = registry::refusal_of(entry, info_);
      if (!refusal.empty()) left_out.push_back({std::move(entry.name), "does not fit the device: its " + refusal});
      return !refusal.empty();
    });
    return load(index, std::move(entries), std::move(left_out));
  }

  Result<std::optional<LoadedVariant>> load(std::size_t index, std::vector<Entry> entries,
                                            std::vector<backend::LeftOut> left_out) {
    const io::PackVariant& variant = pack_.variants[index];
    std::vector<backend::Alignment> alignments;
    const auto id = device_.load({pack_.name,
                                  variant.format,
                                  variant.code,
                                  entries,
                                  constants_,
                                  &left_out,
                                  {macros_, folders_, options_.language.empty() ? variant.language : options_.language},
                                  &alignments,
                                  deadline_});
    if (id) {
      raise(alignments, entries);
      return std::optional(LoadedVariant{*id, variant.format, std::move(entries), std::move(left_out)});
    }
    if (ends_the_choice(id.error().code())) return id.error();
    refusals_[index] = fmt::format("{}: {}", name(id.error().code()), id.error().text());
    return std::optional<LoadedVariant>();
  }

  [[nodiscard]] std::string refusal_of_format(std::string_view format) const {
    const auto absent = std::ranges::find(info_.absent_formats, format, &AbsentFormat::format);
    const bool is_known = absent != info_.absent_formats.end();
    return is_known ? "the device cannot take the format here. " + absent->reason
                    : "the device does not take the format";
  }

  [[nodiscard]] Error failure() const {
    std::string text =
        fmt::format("No variant ({}) of [Program {}] loads on [{}], which takes the formats {}.", pack_.variants.size(),
                    base::quote(pack_.name), info_.id, or_none(fmt::format("{}", fmt::join(info_.formats, ", "))));
    for (std::size_t i = 0; i < refusals_.size(); ++i) {
      const std::string refusal = refusals_[i].empty() ? refusal_of_format(pack_.variants[i].format) : refusals_[i];
      text += fmt::format("\n - Variant {} ({}) is refused: {}", i, text_of(pack_.variants[i]), refusal);
      if (!text.ends_with('.') && !text.ends_with('\n')) text += '.';
    }
    while (text.ends_with('\n')) text.pop_back();
    return {Errc::build_failed, std::move(text)};
  }

  backend::Device& device_;
  const DeviceInfo& info_;
  const io::Pack& pack_;
  const LoadOptions& options_;
  const Deadline deadline_;
  std::vector<backend::Constant> constants_;
  std::vector<backend::Macro> macros_;
  std::vector<std::string> folders_;
  std::vector<std::string> refusals_;  // by variant; empty: not tried
  std::vector<std::size_t> partial_;   // variants of which the device takes some entries, best first
  std::optional<LoadedVariant> best_;  // the one to return, as far as is known
};

bool is_identifier(std::string_view name) noexcept {
  const auto fits = [](char letter) { return letter == '_' || std::isalnum(static_cast<unsigned char>(letter)) != 0; };
  return !name.empty() && std::ranges::all_of(name, fits) && std::isdigit(static_cast<unsigned char>(name[0])) == 0;
}

template <class Value>
Result<void> check_names(std::string_view what, const std::map<std::string, Value>& values) {
  for (const auto& [name, value] : values) {
    if (is_identifier(name)) continue;
    return invalid(fmt::format("{} name {} is no identifier.", what, base::quote(name)));
  }
  return {};
}

/// A device that cannot set constants would load the program without them.
Result<void> check_constants(const io::Pack& pack, const DeviceInfo& info, const LoadOptions& options) {
  PINTLE_TRY(check_names("Macro", options.macros));
  if (options.constants.empty()) return {};
  PINTLE_TRY(check_names("Constant", options.constants));
  const Capability capability = info.capability(Feature::constants);
  // A side of a group is decided here, whatever the code can be given.
  const bool are_sides =
      std::ranges::all_of(options.constants, [&](const auto& one) { return is_side(pack, one.first); });
  if (capability.support != Support::absent || are_sides) return {};
  return Error(Errc::unsupported,
               fmt::format("Constant count ({}) is larger than the limit (0) of [{}], which fixes no constants: {}.",
                           options.constants.size(), info.id, capability.detail));
}

}  // namespace

Result<LoadedVariant> load_variant(backend::Device& device, const DeviceInfo& info, const ProgramPack::State& pack,
                                   const LoadOptions& options) {
  return base::contain("loading a program", [&]() -> Result<LoadedVariant> {
    PINTLE_TRY(check_constants(pack.pack, info, options));
    return base::bounded(options.timeout, [&](Deadline deadline) {
      return Chooser(device, info, pack.pack, options, deadline).choose();
    });
  });
}

}  // namespace pintle::core
