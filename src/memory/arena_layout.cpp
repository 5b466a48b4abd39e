#include "memory/arena_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/door.h"
#include "base/quote.h"

namespace pintle::memory {
namespace {

/// In bytes; core gives this alignment to any allocation.
constexpr std::uint64_t max_alignment = 4096;

Error wrong(std::string sentence) { return {Errc::invalid_argument, std::move(sentence)}; }

Result<void> check_binding(const PlannedValue& value, const DeviceInfo& info) {
  const std::uint64_t alignment = info.limits.offset_alignment;
  if (alignment <= 1 || value.offset % alignment == 0) return {};
  return wrong(fmt::format(
      "The offset ({}) of {} is no multiple of the alignment ({}) that [{}] needs of a view; plan the value "
      "with that alignment.",
      value.offset, value_text(value.name), alignment, info.id));
}

Result<void> check_chunk(std::size_t chunk, std::uint64_t size, const DeviceInfo& info) {
  const std::uint64_t most = info.limits.max_allocation;
  if (size <= most) return {};
  return Error(Errc::unsupported,
               fmt::format("Chunk ({}) of the plan has size ({}), which is larger than the largest allocation ({}) of "
                           "[{}]; plan with that as the largest chunk.",
                           chunk, size, most, info.id));
}

/// Checks that dtype and shape take the planned bytes, and that the value begins where such elements may.
Result<void> check_value(const ArenaValue& said, const PlannedValue& planned) {
  if (!parse_dtype(name(said.dtype))) {
    return wrong(fmt::format("The dtype ({}) of {} is none of {}.", static_cast<unsigned>(said.dtype),
                             value_text(said.name), dtype_names()));
  }
  if (!said.shape.is_valid()) {
    return wrong(fmt::format("The rank ({}) of {} is larger than the limit ({}).", said.shape.rank(),
                             value_text(said.name), Shape::max_rank));
  }
  const auto bytes = checked_bytes(said.dtype, said.shape);
  if (bytes != planned.size) {
    return wrong(fmt::format("Shape {} of {} gives {} size ({}), but the plan gives it ({}).", said.shape.text(),
                             name(said.dtype), value_text(said.name), bytes ? std::to_string(*bytes) : "beyond 64 bits",
                             planned.size));
  }
  if (!has_bytes(planned) || planned.offset % bytes_of(said.dtype) == 0) return {};
  return wrong(fmt::format("The offset ({}) of {} is no multiple of the element size ({}) of {}.", planned.offset,
                           value_text(said.name), bytes_of(said.dtype), name(said.dtype)));
}

/// The heap with the most room; empty where the device reports no heap.
std::optional<Heap> roomiest(std::vector<Heap> heaps) {
  const auto room = [](const Heap& heap) {
    return heap.available.value_or(heap.total - std::min(heap.used, heap.total));
  };
  const auto most = std::ranges::max_element(heaps, {}, room);
  if (most == heaps.end()) return std::nullopt;
  most->available = room(*most);
  return std::move(*most);
}

Result<void> check_room(const ArenaRequirements& needed, const Device& device) {
  PINTLE_ASSIGN(heaps, device.budget());
  const auto heap = roomiest(std::move(heaps));
  if (!heap || needed.total <= *heap->available) return {};
  return Error(Errc::out_of_memory,
               fmt::format("The plan takes ({}) bytes in {} chunks, the largest of ({}) bytes, but {} of [{}] has ({}) "
                           "bytes free, as {} says.",
                           needed.total, needed.chunks.size(), needed.largest_chunk, base::quote(heap->name),
                           device.id(), *heap->available, heap->source));
}

}  // namespace

std::string value_text(std::string_view name) { return fmt::format("[Value {}]", base::quote(name)); }

Result<void> check_limits(const Plan& plan, const DeviceInfo& info) {
  for (std::size_t chunk = 0; chunk < plan.chunks().size(); ++chunk)
    PINTLE_TRY(check_chunk(chunk, plan.chunks()[chunk], info));
  for (const PlannedValue& value : plan.values()) {
    if (has_bytes(value)) PINTLE_TRY(check_binding(value, info));
  }
  return {};
}

Result<std::vector<ArenaValue>> describe(const Plan& plan, std::vector<ArenaValue> said) {
  std::vector<ArenaValue> values;
  values.reserve(plan.values().size());
  for (const PlannedValue& planned : plan.values()) values.push_back({planned.name, DType::u8, Shape{planned.size}});
  std::vector<bool> is_said(values.size());
  for (ArenaValue& value : said) {
    PINTLE_ASSIGN(id, plan.find(value.name));
    if (is_said[id]) return wrong(fmt::format("{} is described twice.", value_text(value.name)));
    PINTLE_TRY(check_value(value, plan.values()[id]));
    is_said[id] = true;
    values[id] = std::move(value);
  }
  return values;
}

}  // namespace pintle::memory

namespace pintle {

Result<ArenaRequirements> Arena::requirements(const Plan& plan, const Device& device) {
  return base::enter("sizing an arena", [&]() -> Result<ArenaRequirements> {
    if (device.id().empty()) return memory::wrong("This Device is empty: it was moved from or never opened.");
    ArenaRequirements needed;
    needed.chunks.assign(plan.chunks().begin(), plan.chunks().end());
    for (const std::uint64_t chunk : needed.chunks) needed.largest_chunk = std::max(needed.largest_chunk, chunk);
    needed.total = needed.chunks.empty() ? 0 : plan.total();
    needed.alignment = std::max<std::uint64_t>(1, device.info().limits.offset_alignment);
    for (const PlannedValue& value : plan.values()) {
      if (!memory::has_bytes(value)) continue;
      if (value.alignment > memory::max_alignment) {
        return memory::wrong(fmt::format("The alignment ({}) of {} is larger than the largest ({}) of an allocation.",
                                         value.alignment, memory::value_text(value.name), memory::max_alignment));
      }
      needed.alignment = std::max(needed.alignment, value.alignment);
    }
    return needed;
  });
}

Result<void> Arena::can_fit(const Plan& plan, const Device& device) {
  return base::enter("sizing an arena", [&]() -> Result<void> {
    PINTLE_ASSIGN(needed, requirements(plan, device));
    PINTLE_TRY(memory::check_limits(plan, device.info()));
    return memory::check_room(needed, device);
  });
}

}  // namespace pintle
