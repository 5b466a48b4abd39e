// Where Gloo's headers are not installed.
#include "bench/collective/side.h"

namespace pintle::bench {

Sided theirs_gloo(const Job&, const CollectiveWork&) {
  return Error(Errc::unavailable, "Gloo was not there when this was built (Debian: libgloo-dev).");
}

}  // namespace pintle::bench
