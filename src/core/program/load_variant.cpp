#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <utility>

#include "base/contain.h"
#include "base/quote.h"
#include "core/program/program_pack.h"

namespace pintle::core {
namespace {

std::string or_none(std::string text) { return text.empty() ? "none" : std::move(text); }

std::string text_of(const io::PackVariant& variant) {
  if (variant.target.empty()) return fmt::format("format {}", base::quote(variant.format));
  return fmt::format("format {} for {}", base::quote(variant.format), base::quote(variant.target));
}

std::string text_of(const Grid& grid) { return fmt::format("({},{},{})", grid.x, grid.y, grid.z); }

/// Why the device cannot run the entry; empty when it can.
std::string refusal_of(const Entry& entry, const Limits& limits) {
  const Grid& group = entry.group_size;
  const Grid& most = limits.max_group;
  const std::uint64_t plane = std::uint64_t{group.x} * group.y;
  if (group.x > most.x || group.y > most.y || group.z > most.z) {
    return fmt::format("group {} is larger than the limit {}", text_of(group), text_of(most));
  }
  if (plane > limits.max_group_items || plane * group.z > limits.max_group_items) {
    return fmt::format("group {} has more items than the limit ({})", text_of(group), limits.max_group_items);
  }
  if (entry.local_bytes > limits.max_local_bytes) {
    return fmt::format("local memory ({} bytes) is larger than the limit ({})", entry.local_bytes,
                       limits.max_local_bytes);
  }
  if (entry.parameters.size() > limits.max_parameters) {
    return fmt::format("parameter count ({}) is larger than the limit ({})", entry.parameters.size(),
                       limits.max_parameters);
  }
  return {};
}

std::vector<backend::Constant> constants_of(const LoadOptions& options) {
  std::vector<backend::Constant> constants;
  for (const auto& [name, value] : options.constants) {
    backend::Constant& constant = constants.emplace_back(backend::Constant{name, DType::f64, {}});
    std::memcpy(constant.value.bytes.data(), &value, sizeof value);
  }
  return constants;
}

bool ends_the_choice(Errc code) noexcept {
  return code == Errc::device_lost || code == Errc::process_poisoned || code == Errc::out_of_memory;
}

/// Tries variants and remembers why each was refused.
class Chooser {
 public:
  Chooser(backend::Device& device, const DeviceInfo& info, const io::Pack& pack, const LoadOptions& options)
      : device_(device), info_(info), pack_(pack), constants_(constants_of(options)), refusals_(pack.variants.size()) {}

  Result<LoadedVariant> choose() {
    for (const std::string& format : info_.formats) {
      for (std::size_t i = 0; i < pack_.variants.size(); ++i) {
        if (!refusals_[i].empty() || (format != "*" && format != pack_.variants[i].format)) continue;
        PINTLE_ASSIGN(loaded, try_one(i));
        if (loaded) return std::move(*loaded);
      }
    }
    return failure();
  }

 private:
  /// Loads one variant; empty when the variant is refused.
  Result<std::optional<LoadedVariant>> try_one(std::size_t index) {
    const io::PackVariant& variant = pack_.variants[index];
    refusals_[index] = refusal_of(variant);
    if (!refusals_[index].empty()) return std::optional<LoadedVariant>();
    const auto id = device_.load({pack_.name, variant.format, variant.code, variant.entries, constants_});
    if (id) return std::optional(LoadedVariant{*id, variant.format, variant.entries});
    if (ends_the_choice(id.error().code())) return id.error();
    refusals_[index] = fmt::format("{}: {}", name(id.error().code()), id.error().text());
    return std::optional<LoadedVariant>();
  }

  [[nodiscard]] std::string refusal_of(const io::PackVariant& variant) const {
    const std::string& target = info_.target;
    if (!variant.target.empty() && variant.target != target) {
      return fmt::format("the device needs the target {}", base::quote(target));
    }
    for (const Entry& entry : variant.entries) {
      const std::string refusal = core::refusal_of(entry, info_.limits);
      if (!refusal.empty()) return fmt::format("in the entry {} the {}", base::quote(entry.name), refusal);
    }
    return {};
  }

  [[nodiscard]] Error failure() const {
    std::string text =
        fmt::format("No variant ({}) of [Program {}] loads on [{}], which takes the formats {}.", pack_.variants.size(),
                    base::quote(pack_.name), info_.id, or_none(fmt::format("{}", fmt::join(info_.formats, ", "))));
    for (std::size_t i = 0; i < refusals_.size(); ++i) {
      const std::string refusal = refusals_[i].empty() ? "the device does not take the format" : refusals_[i];
      text += fmt::format("\n - Variant {} ({}) is refused: {}", i, text_of(pack_.variants[i]), refusal);
      if (!text.ends_with('.') && !text.ends_with('\n')) text += '.';
    }
    while (text.ends_with('\n')) text.pop_back();
    return {Errc::build_failed, std::move(text)};
  }

  backend::Device& device_;
  const DeviceInfo& info_;
  const io::Pack& pack_;
  std::vector<backend::Constant> constants_;
  std::vector<std::string> refusals_;  // by variant; empty: not tried
};

bool is_identifier(std::string_view name) noexcept {
  const auto fits = [](char letter) { return letter == '_' || std::isalnum(static_cast<unsigned char>(letter)) != 0; };
  return !name.empty() && std::ranges::all_of(name, fits) && std::isdigit(static_cast<unsigned char>(name[0])) == 0;
}

/// A device that cannot set constants would load the program without them.
Result<void> check_constants(const DeviceInfo& info, const LoadOptions& options) {
  if (options.constants.empty()) return {};
  for (const auto& [name, value] : options.constants) {
    if (is_identifier(name)) continue;
    return Error(Errc::invalid_argument, fmt::format("Constant name {} is no identifier.", base::quote(name)));
  }
  const Capability capability = info.capability(Feature::constants);
  if (capability.support != Support::absent) return {};
  return Error(Errc::unsupported,
               fmt::format("Constant count ({}) is larger than the limit (0) of [{}], which fixes no constants: {}.",
                           options.constants.size(), info.id, capability.detail));
}

}  // namespace

Result<LoadedVariant> load_variant(backend::Device& device, const DeviceInfo& info, const ProgramPack::State& pack,
                                   const LoadOptions& options) {
  return base::contain("loading a program", [&]() -> Result<LoadedVariant> {
    PINTLE_TRY(check_constants(info, options));
    return Chooser(device, info, pack.pack, options).choose();
  });
}

}  // namespace pintle::core
