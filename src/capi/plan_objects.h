// Plans and arenas behind handles.
#pragma once

#include <utility>

#include "capi/lent_buffers.h"
#include "capi/objects.h"
#include "pintle/c/arena.h"
#include "pintle/c/plan.h"

namespace pintle::capi {

/// An arena, and the values of it that C has views of.
struct ArenaObject {
  Arena arena;
  LentBuffers lent;

  explicit ArenaObject(Arena its) noexcept : arena(std::move(its)) {}
};

PINTLE_C_KIND(pintle_plan, Plan, 40, "plan");
PINTLE_C_KIND(pintle_arena, ArenaObject, 41, "arena");

}  // namespace pintle::capi
