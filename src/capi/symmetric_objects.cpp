#include "capi/symmetric_objects.h"

#include <fmt/format.h>

#include "capi/check.h"
#include "capi/structs.h"

namespace pintle::capi {
namespace {

Result<SymmetricBuffer> part_of(const SymmetricBuffer& whole, std::uint64_t offset, std::uint64_t bytes) {
  const std::uint64_t size = whole.size_bytes(), element = bytes_of(whole.dtype());
  if (offset == 0 && (bytes == 0 || bytes == size)) return whole;
  if (offset > size || bytes > size - offset)
    return Error(Errc::invalid_argument,
                 fmt::format("The range ({} bytes from byte {} on) ends beyond the {} bytes of a symmetric buffer.",
                             bytes, offset, size));
  const std::uint64_t length = bytes == 0 ? size - offset : bytes;
  if (offset % element == 0 && length % element == 0) return whole.slice(offset / element, length / element);
  return Error(Errc::invalid_argument,
               fmt::format("The range ({} bytes from byte {} on) is no whole number of {} of {} bytes each.", length,
                           offset, name(whole.dtype()), element));
}

}  // namespace

Result<SymmetricView> symmetric_view_of(const pintle_symmetric_view* view) {
  PINTLE_ASSIGN(in, readable(view, "pintle_symmetric_view"));
  PINTLE_ASSIGN(whole, use(in->buffer));
  PINTLE_ASSIGN(part, part_of(*whole, in->offset, in->bytes));
  return part.on(in->rank);
}

Result<SymmetricSignal> symmetric_signal_of(pintle_symmetric_signals signals, std::uint64_t index) {
  PINTLE_ASSIGN(all, use(signals));
  return all->at(index);
}

}  // namespace pintle::capi
