#include "collective/group/checks.h"

#include <fmt/format.h>

#include "base/bytes.h"

namespace pintle::collective {

Result<void> check_elements(const Memory& memory) {
  if (!is_dtype(memory.dtype)) {
    return Error(Errc::invalid_argument,
                 fmt::format("The dtype of {} ({}) is none.", memory.name, static_cast<unsigned>(memory.dtype)));
  }
  const std::uint64_t element = bytes_of(memory.dtype);
  if (memory.element_size != 1 && memory.element_size != element) {
    return Error(Errc::invalid_argument,
                 fmt::format("The elements of {} have {} bytes, an element of {} has {}.", memory.name,
                             memory.element_size, pintle::name(memory.dtype), element));
  }
  if (memory.bytes % element == 0) return {};
  return Error(Errc::invalid_argument, fmt::format("The size of {} ({} bytes) is no multiple of an element of {} ({}).",
                                                   memory.name, memory.bytes, pintle::name(memory.dtype), element));
}

Result<void> check_same_dtype(const Memory& to, const Memory& from) {
  if (to.dtype == from.dtype) return {};
  return Error(Errc::invalid_argument, fmt::format("The dtype of {} ({}) is not that of {} ({}).", to.name,
                                                   pintle::name(to.dtype), from.name, pintle::name(from.dtype)));
}

Result<void> check_parts(const Memory& whole, const Memory& part, std::uint32_t parts) {
  if (base::checked_mul<std::uint64_t>(part.bytes, parts) == whole.bytes) return {};
  const auto times = parts == 1 ? std::string("the size") : fmt::format("{} times the size", parts);
  return Error(Errc::invalid_argument, fmt::format("The size of {} ({} bytes) is not {} of {} ({} bytes).", whole.name,
                                                   whole.bytes, times, part.name, part.bytes));
}

Result<void> check_overlap(const Memory& to, const Memory& from) {
  const auto a = reinterpret_cast<std::uintptr_t>(to.start), b = reinterpret_cast<std::uintptr_t>(from.start);
  const bool is_apart = to.bytes == 0 || from.bytes == 0 || (a <= b ? b - a >= to.bytes : a - b >= from.bytes);
  if (is_apart) return {};
  return Error(Errc::invalid_argument,
               fmt::format("{} ({} bytes) overlaps {} ({} bytes).", to.name, to.bytes, from.name, from.bytes));
}

}  // namespace pintle::collective
