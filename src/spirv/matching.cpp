#include "spirv/matching.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <span>

#include "base/quote.h"
#include "spirv/descriptors.h"
#include "spirv/fields.h"
#include "spirv/folding.h"
#include "spirv/places.h"
#include "spirv/scalars.h"

namespace pintle::spirv {
namespace {

template <class... Values>
Error mismatch(fmt::format_string<Values...> sentence, Values&&... values) {
  return {Errc::invalid_argument, fmt::format(sentence, std::forward<Values>(values)...)};
}

template <class... Values>
Error unsupported(fmt::format_string<Values...> sentence, Values&&... values) {
  return {Errc::unsupported, fmt::format(sentence, std::forward<Values>(values)...)};
}

/// u8 declares bytes, which may be anything.
bool may_hold(const Block& block, DType dtype) noexcept {
  return dtype == DType::u8 || std::ranges::all_of(block.fields, [&](const Field& field) {
           return base::may_declare(dtype, field.number) || are_bits_of(dtype, field.number);
         });
}

std::string numbers_of(const Block& block) {
  std::set<std::string> names;
  for (const Field& field : block.fields) names.insert(base::text_of(field.number));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The bytes of the smallest number of a block. Where several variables see one buffer, the one with the larger numbers
/// decides: it reads the last of them whole.
std::uint32_t unit_of(const Place& place) {
  std::uint32_t unit = 1;
  for (const Binding* const variable : place.variables) {
    std::uint32_t least = 4;
    for (const Field& field : variable->block.fields) least = std::min(least, field.number.bytes);
    unit = std::max(unit, least);
  }
  return unit;
}

DescriptorNeeds needs_of(const Place& place) {
  DescriptorNeeds needs{.unit = unit_of(place), .image = place.variables[0]->image};
  std::uint32_t& bytes = is_uniform(place) ? needs.least : needs.first;
  for (const Binding* const variable : place.variables)
    bytes =
        std::max(bytes, static_cast<std::uint32_t>(std::min<std::uint64_t>(variable->block.size, KernelLimits::none)));
  return needs;
}

class Matching {
 public:
  Matching(const KernelLimits& limits, const Module& module, const EntryPoint& entry, const Entry& declared)
      : limits_(limits), module_(module), entry_(entry), declared_(declared), scalars_(declared) {}

  Result<void> check(KernelCode& kernel) {
    PINTLE_TRY(sort_parameters());
    PINTLE_TRY(check_group_size(kernel.specialization));
    PINTLE_TRY(check_shared(kernel.specialization));
    PINTLE_ASSIGN(places, find_places(module_, entry_, limits_));
    KernelInterface& interface = kernel.interface;
    interface.scalars = scalars_.places();
    interface.scalar_bytes = scalars_.bytes();
    PINTLE_TRY(find_scalars(places, interface));
    kernel.subgroup_size = declared_.subgroup_size;
    kernel.group_x = declared_.group_size.x;
    return bind(places, interface);
  }

 private:
  Result<void> sort_parameters() {
    for (const Parameter& parameter : declared_.parameters) {
      if (is_bound(parameter)) bound_.push_back(&parameter);
      has_images_ |= parameter.kind == Parameter::Kind::image || parameter.kind == Parameter::Kind::sampler;
      if (parameter.kind != Parameter::Kind::local) continue;
      return unsupported(
          "takes parameter {} as local memory, and a shader's shared memory has its size when it is "
          "loaded: use a constant",
          base::quote(parameter.name));
    }
    return {};
  }

  /// A side that a specialisation constant decides becomes the declared one.
  Result<void> check_group_size(Specialization& specialization) {
    const Grid& group = declared_.group_size;
    const std::array<std::uint32_t, 3> wanted{group.x, group.y, group.z};
    if (!entry_.group_size) return mismatch("has no group size; ({},{},{}) is declared", group.x, group.y, group.z);
    std::array<std::uint32_t, 3> sizes = wanted;
    for (std::size_t index = 0; index < 3; ++index) {
      const Dimension& dimension = (*entry_.group_size)[index];
      if (dimension.spec_id) PINTLE_TRY(add(specialization, *dimension.spec_id, wanted[index]));
      else if (dimension.operation == 0) sizes[index] = dimension.value;
    }
    for (std::size_t index = 0; index < 3; ++index) {  // behind the constants that they are made of
      const Dimension& dimension = (*entry_.group_size)[index];
      if (dimension.operation == 0) continue;
      const auto size = fold(*module_.tables, dimension.operation, specialization);
      if (!size) return unsupported("has a group size by an operation on constants that is not known here");
      sizes[index] = static_cast<std::uint32_t>(*size);
    }
    if (sizes == wanted) return {};
    return mismatch("has group size ({},{},{}), and ({},{},{}) is declared", sizes[0], sizes[1], sizes[2], group.x,
                    group.y, group.z);
  }

  /// An id has one value: the caller's constant of that id, or another side of the group.
  static Result<void> add(Specialization& specialization, std::uint32_t id, std::uint32_t value) {
    for (const auto& given : specialization.values) {
      if (given.spec_id != id) continue;
      std::uint64_t other = 0;
      std::memcpy(&other, specialization.data.data() + given.offset, given.size);
      if (other == value) return {};
      return mismatch("is declared with ({}) as a side of its group, which is the constant {} with the value ({})",
                      value, given.name.empty() ? fmt::format("({})", id) : base::quote(given.name), other);
    }
    const auto offset = static_cast<std::uint32_t>(specialization.data.size());
    specialization.values.push_back({id, offset, sizeof value});
    const auto bytes = std::as_bytes(std::span(&value, 1));
    specialization.data.insert(specialization.data.end(), bytes.begin(), bytes.end());
    return {};
  }

  Result<void> check_shared(const Specialization& specialization) const {
    std::uint64_t bytes = 0;
    for (const Shared& shared : module_.shared) {
      if (!uses(module_, entry_, shared.id)) continue;
      const auto size = packed_size(*module_.tables, shared.type, specialization);
      if (!size) return unsupported("has shared memory of a size by an operation on constants that is not known here");
      bytes += std::min<std::uint64_t>(*size, ~std::uint32_t{0});
    }
    if (bytes <= limits_.shared_bytes) return {};
    return unsupported("has ({}) bytes of shared memory, and the limit of the device is ({})", bytes,
                       limits_.shared_bytes);
  }

  /// Takes the block that scalars come in: push constants, or else the last uniform block that no parameter needs.
  Result<void> find_scalars(std::vector<Place>& places, KernelInterface& interface) const {
    const auto& push = module_.push_constants;
    const bool is_pushed = push && uses(module_, entry_, push->id);
    if (is_pushed) {
      interface.scalar_source = ScalarSource::push;
      PINTLE_TRY(check_scalars(push->block, interface));
    } else if (places.size() > bound_.size()) {
      const auto uniform = std::ranges::find_if(
          places.rbegin(), places.rend(), [](const Place& place) { return is_uniform(place) && !place.is_element; });
      if (uniform == places.rend()) return {};
      interface.scalar_source = ScalarSource::uniform;
      interface.scalar_block = uniform->at;
      PINTLE_TRY(check_scalars(uniform->variables[0]->block, interface));
      PINTLE_TRY(check_uniform(*uniform));
      places.erase(std::next(uniform).base());
    }
    return {};
  }

  Result<void> check_scalars(const Block& block, KernelInterface& interface) const {
    PINTLE_TRY(scalars_.check(block));
    if (block.size > round_up(interface.scalar_bytes, 16)) {
      return mismatch("reads ({}) bytes of scalars, and the declared ones have ({})", block.size,
                      interface.scalar_bytes);
    }
    interface.scalar_bytes = round_up(std::max<std::uint64_t>(interface.scalar_bytes, block.size), 4);
    if (interface.scalar_source == ScalarSource::uniform) interface.scalar_bytes = round_up(interface.scalar_bytes, 16);
    else if (interface.scalar_bytes > limits_.push_bytes) {
      return mismatch(
          "has ({}) bytes of scalars in push constants, which hold ({}); put them into a uniform block "
          "behind the buffers",
          interface.scalar_bytes, limits_.push_bytes);
    }
    return {};
  }

  /// The i-th buffer, texel buffer, image or sampler of the signature is the i-th place.
  Result<void> bind(std::span<const Place> places, KernelInterface& interface) const {
    PINTLE_TRY(check_count(places));
    for (std::size_t index = 0; index < places.size(); ++index) {
      const Place& place = places[index];
      const Parameter& parameter = *bound_[index];
      PINTLE_TRY(check_kind(place, parameter));
      PINTLE_TRY(check_access(place, parameter));
      if (parameter.kind == Parameter::Kind::buffer) PINTLE_TRY(check_elements(place, parameter));
      PINTLE_TRY(check_order(place, parameter));
      if (is_uniform(place)) PINTLE_TRY(check_uniform(place));
      interface.descriptors.push_back(place.at);
      interface.needs.push_back(needs_of(place));
    }
    interface.sampled = sampled_in(places, entry_);
    return check_limits(limits_, interface);
  }

  Result<void> check_count(std::span<const Place> places) const {
    if (places.size() > bound_.size()) {
      const Place& place = places[bound_.size()];
      return mismatch("uses {} at {}, where no parameter is bound ({} {} are declared)",
                      base::quote(place.variables[0]->name), text_of(place), bound_.size(), what_is_bound());
    }
    if (places.size() == bound_.size()) return {};
    return mismatch("has nothing for parameter {}: it binds ({}) {}, and ({}) are declared",
                    base::quote(bound_[places.size()]->name), places.size(), what_is_bound(), bound_.size());
  }

  [[nodiscard]] std::string_view what_is_bound() const noexcept {
    return has_images_ ? "buffers, images and samplers" : "buffers";
  }

  Result<void> check_uniform(const Place& place) const {
    for (const Binding* const variable : place.variables) {
      if (variable->block.size <= limits_.uniform_bytes) continue;
      return unsupported("has a uniform block of ({}) bytes at {}, and the limit of the device is ({})",
                         variable->block.size, text_of(place), limits_.uniform_bytes);
    }
    return {};
  }

  Result<void> check_access(const Place& place, const Parameter& parameter) const {
    const Access access = parameter.access;
    const auto touches = [&](const std::vector<std::uint32_t>& ids) {
      return std::ranges::any_of(place.variables,
                                 [&](const Binding* one) { return std::ranges::binary_search(ids, one->id); });
    };
    // Which elements of an array a store reaches is not known.
    const bool is_alone = !place.is_element;
    const bool is_fixed = is_uniform(place) || std::ranges::none_of(place.variables, &Binding::is_writable);
    std::string_view what;
    if (parameter.kind == Parameter::Kind::sampler) return {};
    if (writes(access) && is_fixed) what = "only reads";
    else if (access == Access::read && std::ranges::none_of(place.variables, &Binding::is_readable))
      what = "only writes";
    else if (!writes(access) && is_alone && touches(entry_.written)) what = "writes";
    else if (access == Access::write && is_alone && touches(entry_.read) && !are_in_words(place, parameter))
      what = "reads";
    if (what.empty()) return {};
    return mismatch("{} at {}, and parameter {} is declared ({})", what, text_of(place), base::quote(parameter.name),
                    name(access));
  }

  /// The elements are parts of words. A kernel that writes one element has to read the rest of its word.
  [[nodiscard]] static bool are_in_words(const Place& place, const Parameter& parameter) {
    const auto is_word = [&](const Field& field) { return are_bits_of(parameter.dtype, field.number); };
    return bytes_of(parameter.dtype) < 4 &&
           std::ranges::all_of(
               place.variables,
               [&](const Binding* binding) { return std::ranges::all_of(binding->block.fields, is_word); });
  }

  static Result<void> check_elements(const Place& place, const Parameter& parameter) {
    std::string numbers;
    for (const Binding* const binding : place.variables) {
      if (may_hold(binding->block, parameter.dtype)) return {};
      numbers = numbers_of(binding->block);
    }
    return mismatch("has elements of ({}) at {}, and parameter {} is declared ({}[])", numbers, text_of(place),
                    base::quote(parameter.name), name(parameter.dtype));
  }

  /// A buffer goes by its variable's name, or by that of the one member that its block has. Names may differ, but a
  /// name of another parameter says that the order differs.
  Result<void> check_order(const Place& place, const Parameter& parameter) const {
    for (const Binding* const binding : place.variables) {
      const auto& fields = binding->block.fields;
      const std::array names{binding->name, fields.size() == 1 ? fields[0].name : std::string()};
      if (place.is_element || std::ranges::find(names, parameter.name) != names.end()) continue;
      for (const std::string& found : names) {
        const bool is_anothers = std::ranges::any_of(bound_, [&](const auto* one) { return one->name == found; });
        if (found.empty() || !is_anothers) continue;
        return mismatch("has {} at {}, where parameter {} is bound", base::quote(found), text_of(place),
                        base::quote(parameter.name));
      }
    }
    return {};
  }

  const KernelLimits& limits_;
  const Module& module_;
  const EntryPoint& entry_;
  const Entry& declared_;
  const DeclaredScalars scalars_;
  std::vector<const Parameter*> bound_;  // buffers, texel buffers, images and samplers
  bool has_images_ = false;              // or samplers
};

}  // namespace

std::optional<FoundEntry> find_entry(std::span<const Module> modules, const Entry& declared, std::size_t entries) {
  for (const Module& module : modules) {
    for (const EntryPoint& entry : module.entries) {
      const bool is_main = entries == 1 && module.entries.size() == 1 && entry.name == "main";
      if (entry.model == compute_model && (entry.name == declared.name || is_main)) return FoundEntry{&module, &entry};
    }
  }
  return std::nullopt;
}

Result<void> match_entry(const KernelLimits& limits, const Module& module, const EntryPoint& entry,
                         const Entry& declared, KernelCode& kernel) {
  return Matching(limits, module, entry, declared).check(kernel);
}

}  // namespace pintle::spirv
