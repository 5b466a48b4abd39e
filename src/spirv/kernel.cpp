#include "spirv/kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/quote.h"

namespace pintle::spirv {
namespace {

using backend::Constant;
using backend::ProgramImage;

constexpr std::uint32_t round_up(std::uint64_t value, std::uint32_t alignment) noexcept {
  return static_cast<std::uint32_t>((value + alignment - 1) / alignment * alignment);
}

template <class... Values>
Error mismatch(fmt::format_string<Values...> sentence, Values&&... values) {
  return {Errc::invalid_argument, fmt::format(sentence, std::forward<Values>(values)...)};
}

/// Compares one entry of an image with its module.
class Matching {
 public:
  Matching(std::uint32_t most_push_bytes, const Module& module, const EntryPoint& entry, const Entry& declared)
      : most_push_bytes_(most_push_bytes), module_(module), entry_(entry), declared_(declared) {}

  Result<void> check(KernelCode& kernel) {
    count_parameters(kernel.interface);
    PINTLE_TRY(check_group_size(kernel.specialization));
    PINTLE_TRY(find_scalars(kernel.interface));
    return check_bindings(kernel.interface);
  }

 private:
  void count_parameters(KernelInterface& interface) {
    for (const Parameter& parameter : declared_.parameters) {
      if (parameter.kind == Parameter::Kind::buffer) {
        buffers_.push_back(&parameter);
        continue;
      }
      const auto size = static_cast<std::uint32_t>(bytes_of(parameter.dtype));
      const std::uint32_t offset = round_up(interface.scalar_bytes, size);
      interface.scalars.push_back({offset, size});
      interface.scalar_bytes = offset + size;
    }
    interface.buffers = static_cast<std::uint32_t>(buffers_.size());
  }

  /// A size that a specialisation constant decides becomes the declared size.
  Result<void> check_group_size(Specialization& specialization) {
    const Grid& group = declared_.group_size;
    const std::array<std::uint32_t, 3> wanted{group.x, group.y, group.z};
    if (!entry_.group_size) return mismatch("has no group size; ({},{},{}) is declared", group.x, group.y, group.z);
    for (std::size_t index = 0; index < 3; ++index) {
      const Dimension& dimension = (*entry_.group_size)[index];
      if (dimension.spec_id) add(specialization, *dimension.spec_id, wanted[index]);
      else if (dimension.value != wanted[index]) {
        const auto& sizes = *entry_.group_size;
        return mismatch("has group size ({},{},{}), and ({},{},{}) is declared", sizes[0].value, sizes[1].value,
                        sizes[2].value, group.x, group.y, group.z);
      }
    }
    return {};
  }

  static void add(Specialization& specialization, std::uint32_t id, std::uint32_t value) {
    const auto offset = static_cast<std::uint32_t>(specialization.data.size());
    specialization.values.push_back({id, offset, sizeof value});
    const auto bytes = std::as_bytes(std::span(&value, 1));
    specialization.data.insert(specialization.data.end(), bytes.begin(), bytes.end());
  }

  /// With several entry points, a module says which variables each of them uses only from version 1.4 on.
  [[nodiscard]] bool uses(const Binding& binding) const {
    if (module_.version < 0x00010400) return module_.entries.size() == 1 || binding.set == 0;
    return std::ranges::find(entry_.interface, binding.id) != entry_.interface.end();
  }
  [[nodiscard]] const Binding* find(std::uint32_t number) const {
    for (const Binding& binding : module_.bindings) {
      if (uses(binding) && binding.set == 0 && binding.binding == number) return &binding;
    }
    return nullptr;
  }

  Result<void> find_scalars(KernelInterface& interface) const {
    if (interface.scalar_bytes == 0) return {};
    const Binding* const uniform = find(interface.buffers);
    const Block* block = nullptr;
    if (module_.push_constants) {
      interface.scalar_source = ScalarSource::push;
      block = &*module_.push_constants;
    } else if (uniform != nullptr && uniform->kind == Binding::Kind::uniform_block) {
      interface.scalar_source = ScalarSource::uniform;
      block = &uniform->block;
    } else {
      return {};  // the module reads no scalar
    }
    if (block->size > round_up(interface.scalar_bytes, 16)) {
      return mismatch("reads ({}) bytes of scalars, and the declared ones have ({})", block->size,
                      interface.scalar_bytes);
    }
    interface.scalar_bytes = round_up(std::max<std::uint64_t>(interface.scalar_bytes, block->size), 4);
    if (interface.scalar_source == ScalarSource::uniform) interface.scalar_bytes = round_up(interface.scalar_bytes, 16);
    else if (interface.scalar_bytes > most_push_bytes_) {
      return mismatch(
          "has ({}) bytes of scalars in push constants, which hold ({}); put them into a uniform block at set 0, "
          "binding {}",
          interface.scalar_bytes, most_push_bytes_, interface.buffers);
    }
    return {};
  }

  Result<void> check_bindings(const KernelInterface& interface) const {
    for (std::uint32_t number = 0; number < buffers_.size(); ++number) {
      const Parameter& parameter = *buffers_[number];
      const Binding* const binding = find(number);
      if (binding == nullptr)
        return mismatch("has nothing at set 0, binding {}, where parameter \"{}\" is bound", number, parameter.name);
      if (binding->kind != Binding::Kind::storage_buffer)
        return mismatch("has no storage buffer at set 0, binding {}, where parameter \"{}\" is bound", number,
                        parameter.name);
      if (writes(parameter.access) && !binding->is_writable && !is_bound_twice(number))
        return mismatch("only reads at set 0, binding {}, and parameter \"{}\" is declared ({})", number,
                        parameter.name, name(parameter.access));
      if (!writes(parameter.access) && is_written(number))
        return mismatch("writes at set 0, binding {}, and parameter \"{}\" is declared ({})", number, parameter.name,
                        name(parameter.access));
    }
    const std::uint32_t end = interface.buffers + (interface.scalar_source == ScalarSource::uniform ? 1 : 0);
    const bool can_tell = module_.version >= 0x00010400 || module_.entries.size() == 1;
    for (const Binding& binding : module_.bindings) {
      if (!can_tell || !uses(binding) || (binding.set == 0 && binding.binding < end)) continue;
      return mismatch("uses \"{}\" at set {}, binding {}, where no parameter is bound ({} buffers are declared)",
                      binding.name, binding.set, binding.binding, interface.buffers);
    }
    return {};
  }

  [[nodiscard]] bool is_written(std::uint32_t number) const {
    return std::ranges::any_of(module_.bindings, [&](const Binding& binding) {
      return binding.set == 0 && binding.binding == number && std::ranges::count(entry_.written, binding.id) != 0;
    });
  }

  /// Whether two variables give the bytes two types; one of the two may be read-only.
  [[nodiscard]] bool is_bound_twice(std::uint32_t number) const {
    return std::ranges::count_if(module_.bindings, [&](const Binding& binding) {
             return binding.set == 0 && binding.binding == number;
           }) > 1;
  }

  const std::uint32_t most_push_bytes_;
  const Module& module_;
  const EntryPoint& entry_;
  const Entry& declared_;
  std::vector<const Parameter*> buffers_;
};

template <class T>
void append(std::vector<std::byte>& data, T value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  data.insert(data.end(), bytes.begin(), bytes.end());
}

/// Core gives every constant as f64.
Result<double> number_of(const Constant& constant) {
  if (constant.dtype == DType::f64) return std::bit_cast<double>(constant.value.bytes);
  std::uint32_t word = 0;
  std::memcpy(&word, constant.value.bytes.data(), sizeof word);
  if (constant.dtype == DType::f32) return std::bit_cast<float>(word);
  if (constant.dtype == DType::u32) return word;
  if (constant.dtype == DType::i32) return static_cast<std::int32_t>(word);
  return Error(Errc::unsupported, fmt::format("Constant {} has dtype ({}), which is not f64, f32, u32 or i32.",
                                              base::quote(constant.name), name(constant.dtype)));
}

/// Appends the value in the type that the module has.
Result<void> append_constant(Specialization& specialization, const SpecConstant& wanted, const Constant& given) {
  PINTLE_ASSIGN(value, number_of(given));
  const auto offset = static_cast<std::uint32_t>(specialization.data.size());
  auto& data = specialization.data;
  const bool is_signed = wanted.kind == SpecConstant::Kind::integer;
  const double end = std::ldexp(1.0, static_cast<int>(wanted.bits) - (is_signed ? 1 : 0));
  const bool is_whole = value == std::trunc(value) && value < end && value >= (is_signed ? -end : 0.0);
  if (wanted.kind == SpecConstant::Kind::boolean) {
    append(data, std::uint32_t{value != 0});
  } else if (wanted.kind == SpecConstant::Kind::floating) {
    if (wanted.bits == 32) append(data, static_cast<float>(value));
    else if (wanted.bits == 64) append(data, value);
    else
      return Error(Errc::unsupported,
                   fmt::format("Constant {} is a float of ({}) bits.", base::quote(given.name), wanted.bits));
  } else if (!is_whole) {
    return mismatch("Constant {} has value ({}), which is no {} integer of ({}) bits.", base::quote(given.name), value,
                    is_signed ? "signed" : "unsigned", wanted.bits);
  } else {
    const std::uint64_t bits =
        is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) : static_cast<std::uint64_t>(value);
    const auto bytes = std::as_bytes(std::span(&bits, 1)).first(wanted.bits / 8);
    data.insert(data.end(), bytes.begin(), bytes.end());
  }
  specialization.values.push_back({wanted.spec_id, offset, data.size() - offset});
  return {};
}

/// The entry point of a declared entry: the one with its name, or, for an image of one entry, "main".
const EntryPoint* entry_in(const Module& module, const Entry& declared, std::size_t entries) {
  const auto computes = [](const EntryPoint& entry) { return entry.model == compute_model; };
  for (const EntryPoint& entry : module.entries) {
    if (computes(entry) && entry.name == declared.name) return &entry;
  }
  const bool is_main =
      entries == 1 && module.entries.size() == 1 && computes(module.entries[0]) && module.entries[0].name == "main";
  return is_main ? module.entries.data() : nullptr;
}

Error missing_entry(std::span<const Module> modules, const ProgramImage& image, const Entry& declared) {
  std::vector<std::string> names;
  for (const Module& module : modules) {
    for (const EntryPoint& entry : module.entries) names.push_back(base::quote(entry.name));
  }
  return mismatch("[Program {}] has no compute entry point with the name {}; it has {}.", base::quote(image.name),
                  base::quote(declared.name), fmt::join(names, ", "));
}

}  // namespace

Result<void> KernelMatcher::add(std::span<const std::byte> code, std::span<const Entry> entries) {
  const auto modules = read_modules(code);
  if (!modules) return modules.error().during(fmt::format("loading [Program {}]", base::quote(image_.name)));
  for (const Entry& declared : entries) {
    const Module* serving = nullptr;
    const EntryPoint* entry = nullptr;
    for (const Module& module : *modules) {
      serving = &module;
      entry = entry_in(module, declared, entries.size());
      if (entry != nullptr) break;
    }
    if (entry == nullptr) return missing_entry(*modules, image_, declared);
    PINTLE_ASSIGN(kernel, match(*serving, *entry, declared));
    kernels_.push_back(std::move(kernel));
  }
  return {};
}

Result<KernelCode> KernelMatcher::match(const Module& module, const EntryPoint& entry, const Entry& declared) {
  KernelCode kernel;
  kernel.text = fmt::format("Entry {} of [Program {}]", base::quote(declared.name), base::quote(image_.name));
  kernel.code.assign(module.code.begin(), module.code.end());
  kernel.entry_point = entry.name;
  auto agreed = check_(module);
  if (agreed) agreed = Matching(most_push_bytes_, module, entry, declared).check(kernel);
  if (!agreed) return Error(agreed.error().code(), fmt::format("{} {}.", kernel.text, agreed.error().message()));
  PINTLE_TRY(specialize(module, kernel));
  return kernel;
}

/// Sets the constants that this module has.
Result<void> KernelMatcher::specialize(const Module& module, KernelCode& kernel) {
  for (std::size_t index = 0; index < image_.constants.size(); ++index) {
    const Constant& constant = image_.constants[index];
    const auto wanted = std::ranges::find(module.constants, constant.name, &SpecConstant::name);
    if (wanted == module.constants.end()) continue;
    found_[index] = true;
    PINTLE_TRY(append_constant(kernel.specialization, *wanted, constant));
  }
  return {};
}

Result<std::vector<KernelCode>> KernelMatcher::finish() {
  const auto missing = std::ranges::find(found_, false);
  if (missing == found_.end()) return std::move(kernels_);
  return mismatch("[Program {}] has no specialisation constant with the name {}.", base::quote(image_.name),
                  base::quote(image_.constants[static_cast<std::size_t>(missing - found_.begin())].name));
}

}  // namespace pintle::spirv
