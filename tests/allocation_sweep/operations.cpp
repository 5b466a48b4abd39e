#include "allocation_sweep/operations.h"

#include <array>

namespace pintle::allocation_sweep {

std::span<const conformance::Scenario> operations() { return {}; }

}  // namespace pintle::allocation_sweep
