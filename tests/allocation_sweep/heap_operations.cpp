#include "allocation_sweep/operations.h"
namespace pintle::allocation_sweep {
std::span<const Scenario> heap_operations() { return {}; }
}  // namespace pintle::allocation_sweep
