#include "pintle/arena.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/door.h"
#include "base/quote.h"
#include "memory/arena_layout.h"
#include "pintle/device.h"

namespace pintle {
namespace {

std::string chunk_label(const std::string& label, std::size_t chunk, std::size_t chunks) {
  const std::string_view arena = label.empty() ? "arena" : std::string_view(label);
  return chunks == 1 ? std::string(arena) : fmt::format("{} chunk {}", arena, chunk);
}

/// The alignment that the allocation asks for. The device's own alignment holds anyway, and to ask for more may cost.
std::uint64_t alignment_of(const Plan& plan) {
  std::uint64_t alignment = 1;
  for (const PlannedValue& value : plan.values()) {
    if (memory::has_bytes(value)) alignment = std::max(alignment, value.alignment);
  }
  return alignment;
}

}  // namespace

Result<Arena> Arena::create(const Device& device, Plan plan, std::vector<ArenaValue> values, ArenaOptions options) {
  return base::enter("creating an arena", [&]() -> Result<Arena> {
    Arena arena;
    PINTLE_ASSIGN(needed, requirements(plan, device));
    PINTLE_TRY(memory::check_limits(plan, device.info()));
    PINTLE_ASSIGN(described, memory::describe(plan, std::move(values)));
    arena.label_ = std::move(options.label);
    const std::uint64_t alignment = alignment_of(plan);
    for (const std::uint64_t size : needed.chunks) {
      Buffer& chunk = arena.chunks_.emplace_back();
      if (size == 0) continue;
      const std::size_t number = arena.chunks_.size() - 1;
      auto made = device.allocate(DType::u8, Shape{size},
                                  {.label = chunk_label(arena.label_, number, needed.chunks.size()),
                                   .placement = options.placement,
                                   .alignment = alignment});
      if (!made) return made.error().during(fmt::format("allocating chunk {} of {}", number, arena.text()));
      chunk = *std::move(made);
    }
    arena.requirements_ = std::move(needed);
    arena.values_ = std::move(described);
    arena.plan_ = std::move(plan);
    return arena;
  });
}

std::string Arena::text() const noexcept {
  return base::contain_or(std::string("[Arena]"), [&] {
    return label_.empty() ? std::string("[Arena]") : fmt::format("[Arena {}]", base::quote(label_));
  });
}

std::string Arena::value_text(std::uint32_t id) const {
  return fmt::format("{} of {}", memory::value_text(plan_.values()[id].name), text());
}

Result<const PlannedValue*> Arena::placed(std::uint32_t id) const {
  if (id >= plan_.values().size()) {
    return Error(Errc::invalid_argument, fmt::format("Id ({}) is not below the number ({}) of values of {}.", id,
                                                     plan_.values().size(), text()));
  }
  const PlannedValue& value = plan_.values()[id];
  if (value.assignment != Assignment::external) return &value;
  return Error(Errc::not_found,
               fmt::format("{} has no bytes: it is planned as external, or fused away.", value_text(id)));
}

Result<std::uint32_t> Arena::id(std::string_view name) const {
  return base::enter("looking for a value", [&]() -> Result<std::uint32_t> {
    const auto found = plan_.find(name);
    if (!found) {
      return Error(Errc::not_found,
                   fmt::format("{} has no value {} among its {}.", text(), base::quote(name), plan_.values().size()));
    }
    PINTLE_TRY(placed(*found));
    return *found;
  });
}

Result<BufferView> Arena::view(std::uint32_t id) const {
  return base::enter("looking at a value", [&]() -> Result<BufferView> {
    PINTLE_ASSIGN(value, placed(id));
    if (value->size == 0)
      return Error(Errc::invalid_argument, fmt::format("{} has (0) bytes, so there is no view of it.", value_text(id)));
    PINTLE_ASSIGN(bytes, chunks_[value->chunk].slice(value->offset, value->size));
    return bytes.as(values_[id].dtype, values_[id].shape);
  });
}

}  // namespace pintle
