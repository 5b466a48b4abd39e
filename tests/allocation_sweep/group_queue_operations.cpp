#include "allocation_sweep/operations.h"
namespace pintle::allocation_sweep {
std::span<const Scenario> group_queue_operations() { return {}; }
}  // namespace pintle::allocation_sweep
