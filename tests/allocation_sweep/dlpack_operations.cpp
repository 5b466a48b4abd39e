#include "allocation_sweep/operations.h"
namespace pintle::allocation_sweep {
std::span<const Scenario> dlpack_operations() { return {}; }
}  // namespace pintle::allocation_sweep
