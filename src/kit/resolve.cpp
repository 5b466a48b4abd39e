#include "kit/resolve.h"

#include <fmt/format.h>

#include "kit/accesses.h"

namespace pintle::kit {
namespace {

using backend::Argument;
using backend::Binding;
using backend::Command;
using backend::no_slot;

template <class T>
constexpr const char* kind_of = "scalar";
template <>
constexpr const char* kind_of<backend::Range> = "buffer";
template <>
constexpr const char* kind_of<backend::HostSource> = "host source";
template <>
constexpr const char* kind_of<backend::HostTarget> = "host target";

// The binding of a slot, in the type that the command needs.
template <class T>
Result<T> bound(std::span<const Binding> bindings, std::uint32_t slot) {
  if (slot >= bindings.size()) {
    return Error(Errc::invalid_argument,
                 fmt::format("Slot ({}) has no binding; there are ({}).", slot, bindings.size()));
  }
  if (const T* value = std::get_if<T>(&bindings[slot])) return *value;
  return Error(Errc::invalid_argument, fmt::format("The binding of slot ({}) is not a {}.", slot, kind_of<T>));
}

// Fills a range or host memory: the binding is cut to the size that the command needs.
template <class T>
Result<void> fill(T& place, std::span<const Binding> bindings) {
  if (place.slot == no_slot) return {};
  PINTLE_ASSIGN(value, bound<T>(bindings, place.slot));
  if (value.size < place.size) {
    return Error(Errc::invalid_argument, fmt::format("The binding of slot ({}) has ({}) bytes; the command needs ({}).",
                                                     place.slot, value.size, place.size));
  }
  if (place.size != 0) value.size = place.size;
  value.slot = no_slot;
  place = value;
  return {};
}

Result<void> fill_scalar(Argument& argument, std::span<const Binding> bindings) {
  if (argument.kind != Argument::Kind::scalar || argument.slot == no_slot) return {};
  PINTLE_ASSIGN(value, bound<backend::Scalar>(bindings, argument.slot));
  argument.scalar = value;
  argument.slot = no_slot;
  return {};
}

}  // namespace

Result<OwnedList> resolve(const backend::Commands& list, std::span<const Binding> bindings) {
  OwnedList out{{list.commands.begin(), list.commands.end()}, {list.arguments.begin(), list.arguments.end()}};
  Result<void> outcome;
  const auto place = [&](auto& target, Access) {
    if (outcome) outcome = fill(target, bindings);
  };
  for (Command& command : out.commands) {
    for_each_range(command, std::span(out.arguments), place);
    for_each_host(command, place);
  }
  PINTLE_TRY(outcome);
  for (const Command& command : out.commands) {
    const backend::Exec* const exec = exec_of(command);
    if (exec == nullptr) continue;
    for (Argument& argument : std::span(out.arguments).subspan(exec->first_argument, exec->argument_count)) {
      PINTLE_TRY(fill_scalar(argument, bindings));
    }
  }
  return out;
}

}  // namespace pintle::kit
