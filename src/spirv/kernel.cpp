#include "spirv/kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/quote.h"
#include "spirv/constants.h"
#include "spirv/matching.h"

namespace pintle::spirv {
namespace {

using backend::ProgramImage;

template <class... Values>
Error mismatch(fmt::format_string<Values...> sentence, Values&&... values) {
  return {Errc::invalid_argument, fmt::format(sentence, std::forward<Values>(values)...)};
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
  return add(std::span<const Module>(*modules), entries);
}

Result<void> KernelMatcher::add(std::span<const Module> modules, std::span<const Entry> entries) {
  for (const Entry& declared : entries) {
    const auto found = find_entry(modules, declared, entries.size());
    if (!found) {
      PINTLE_TRY(add_missing(declared, missing_entry(modules, image_, declared)));
      continue;
    }
    PINTLE_ASSIGN(kernel, match(*found->module, *found->entry, declared));
    kernels_.push_back(std::move(kernel));
  }
  return {};
}

Result<void> KernelMatcher::add_missing(const Entry& entry, const Error& missing) {
  if (!leaves_out(entry, "is not in the code that this device makes of the program")) return missing;
  kernels_.emplace_back();
  return {};
}

bool KernelMatcher::leaves_out(const Entry& entry, std::string reason) {
  return leave_out_ && leave_out_(entry.name, std::move(reason));
}

Result<KernelCode> KernelMatcher::match(const Module& module, const EntryPoint& entry, const Entry& declared) {
  KernelCode kernel;
  kernel.text = fmt::format("Entry {} of [Program {}]", base::quote(declared.name), base::quote(image_.name));
  kernel.code.assign(module.code.begin(), module.code.end());
  kernel.entry_point = entry.name;
  PINTLE_TRY(specialize(module, image_.constants, kernel.specialization, found_));
  auto agreed = check_(module);
  if (!agreed && leaves_out(declared, std::string(agreed.error().message()))) return KernelCode{};
  if (agreed) agreed = match_entry(limits_, module, entry, declared, kernel);
  if (!agreed) return Error(agreed.error().code(), fmt::format("{} {}.", kernel.text, agreed.error().message()));
  return kernel;
}

Result<std::vector<KernelCode>> KernelMatcher::finish() {
  const auto has_code = [](const KernelCode& kernel) { return !kernel.code.empty(); };
  if (!std::ranges::all_of(kernels_, has_code)) return std::move(kernels_);  // what is missing may have the constant
  for (std::size_t index = 0; index < found_.size(); ++index) {
    const backend::Constant& constant = image_.constants[index];
    if (found_[index] || constant.is_side) continue;
    return mismatch("[Program {}] has no specialisation constant with the name {}.", base::quote(image_.name),
                    base::quote(constant.name));
  }
  return std::move(kernels_);
}

}  // namespace pintle::spirv
