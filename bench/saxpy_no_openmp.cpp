// Where the compiler has no OpenMP.
#include "bench/open_mp.h"

namespace pintle::bench {

const OpenMp* open_mp() noexcept { return nullptr; }

}  // namespace pintle::bench
