// Collective operations as values of the library.
#pragma once

#include "pintle/c/collective.h"
#include "pintle/collective.h"

namespace pintle::capi {

/// The operation without its memory.
[[nodiscard]] Result<Collective> collective_of(const pintle_collective* operation);
/// Gives the operation its memory. A broadcast has one, on every rank: the one that it writes.
[[nodiscard]] Result<void> give_memory(Collective& operation, const Collective::Target& to,
                                       const Collective::Source& from, bool has_from);

}  // namespace pintle::capi
