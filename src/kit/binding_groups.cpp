#include "kit/binding_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/quote.h"
#include "pintle/dtype.h"

namespace pintle::kit {
namespace {

using backend::Argument;
using backend::Range;

/// Bytes between the offset and the range; 0 within it.
std::uint64_t distance(const Range& range, std::int64_t offset) noexcept {
  const auto begin = static_cast<std::int64_t>(range.offset);
  const auto end = static_cast<std::int64_t>(range.offset + range.size);
  if (offset < begin) return static_cast<std::uint64_t>(begin - offset);
  return offset < end ? 0 : static_cast<std::uint64_t>(offset - end) + 1;
}

bool is_reached_by_address(std::span<const Argument> arguments, backend::MemoryId memory) {
  return std::ranges::any_of(
      arguments, [&](const Argument& one) { return one.kind == Argument::Kind::use && one.range.memory == memory; });
}

/// Adds the binding to the last group where they overlap, and else as a new one. Empty bindings come first, each alone.
void add(std::vector<BindingGroup>& groups, const Argument& argument, std::uint32_t number, std::uint64_t alignment) {
  const Range& range = argument.range;
  BindingGroup* const last = groups.empty() ? nullptr : &groups.back();
  const bool overlaps = last != nullptr && last->all.memory == range.memory && last->all.size != 0 &&
                        range.offset < last->all.offset + last->all.size;
  if (!overlaps) {
    groups.push_back({range, alignment, {number}, writes(argument.access)});
    return;
  }
  last->all.size = std::max(last->all.size, range.offset + range.size - last->all.offset);
  last->alignment = std::max(last->alignment, alignment);
  last->arguments.push_back(number);
  last->is_written = last->is_written || writes(argument.access);
}

}  // namespace

LoadedProgram::LoadedProgram(const backend::ProgramImage& image, std::span<const backend::Alignment> alignments)
    : name(image.name), entries(image.entries.begin(), image.entries.end()) {
  for (const auto& [entry, parameter, bytes] : alignments) {
    std::uint32_t& known = entries[entry].parameters[parameter].alignment;
    known = std::max(known, bytes);
  }
}

std::vector<BindingGroup> group_bindings(std::span<const Argument> arguments, const Entry& entry) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t number = 0; number < arguments.size(); ++number) {
    const Argument& argument = arguments[number];
    if (argument.kind == Argument::Kind::buffer && !is_reached_by_address(arguments, argument.range.memory))
      numbers.push_back(number);
  }
  std::ranges::sort(numbers, {}, [&](std::uint32_t number) {
    const Range& range = arguments[number].range;
    return std::tuple(range.size != 0, range.memory, range.offset);
  });
  std::vector<BindingGroup> groups;
  for (const std::uint32_t number : numbers) {
    const Parameter& parameter = entry.parameters[number];
    add(groups, arguments[number], number, std::max<std::uint64_t>(parameter.alignment, bytes_of(parameter.dtype)));
  }
  return groups;
}

Error error_of(const Trespass& trespass) {
  const std::string where = trespass.offset < 0 ? fmt::format("({}) bytes before the beginning of", -trespass.offset)
                                                : fmt::format("at offset ({}) of", trespass.offset);
  return {Errc::invalid_argument,
          fmt::format("[Kernel {}] {} {} the binding of parameter {}, whose size is ({}) bytes{}.",
                      base::quote(trespass.kernel), trespass.verb, where, base::quote(trespass.parameter),
                      trespass.size, trespass.note)};
}

Trespass trespass_of(const LoadedProgram& program, const backend::Exec& exec, std::span<const Argument> arguments,
                     const BindingGroup& group, std::int64_t offset, const char* verb) {
  const std::int64_t at = static_cast<std::int64_t>(group.all.offset) + offset;
  const std::uint32_t nearest = *std::ranges::min_element(
      group.arguments, {}, [&](std::uint32_t number) { return distance(arguments[number].range, at); });
  const Entry& entry = program.entries[exec.entry];
  const Range& range = arguments[nearest].range;
  return {entry.name, entry.parameters[nearest].name, verb, at - static_cast<std::int64_t>(range.offset), range.size};
}

}  // namespace pintle::kit
