// Conversions on memory of the host.
#include "capi/convert.h"

#include "capi/check.h"
#include "capi/choices.h"
#include "capi/enter.h"
#include "capi/host_memory.h"
#include "capi/structs.h"

using namespace pintle;
using namespace pintle::capi;

namespace pintle::capi {

Result<Convert> conversion_of(const pintle_conversion* how) {
  PINTLE_ASSIGN(in, readable(how, "pintle_conversion"));
  PINTLE_ASSIGN(from, enumerator(in->from, DType::complex64, "dtype"));
  PINTLE_ASSIGN(to, enumerator(in->to, DType::complex64, "dtype"));
  PINTLE_ASSIGN(rounding, enumerator_or(Rounding::nearest_even, in->rounding, Rounding::stochastic, "rounding"));
  PINTLE_ASSIGN(overflow, enumerator_or(Overflow::infinity, in->overflow, Overflow::error, "rule for overflow"));
  PINTLE_ASSIGN(nan, enumerator_or(NanRule::canonical, in->nan, NanRule::payload, "rule for NaN"));
  return Convert{.from = from,
                 .to = to,
                 .rounding = rounding,
                 .overflow = overflow,
                 .nan = nan,
                 .seed = in->seed,
                 .first_element = in->first_element};
}

}  // namespace pintle::capi

pintle_status pintle_conversion_bytes(const pintle_conversion* how, uint64_t from_bytes, uint64_t* bytes,
                                      pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(bytes, "bytes"));
    PINTLE_ASSIGN(conversion, conversion_of(how));
    PINTLE_ASSIGN(size, converted_bytes(from_bytes, conversion));
    *bytes = size;
    return {};
  });
}

pintle_status pintle_conversion_run(const pintle_conversion* how, void* to, size_t to_bytes, const void* from,
                                    size_t from_bytes, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(conversion, conversion_of(how));
    PINTLE_ASSIGN(target, writable_bytes(to, to_bytes, "to"));
    PINTLE_ASSIGN(source, readable_bytes(from, from_bytes, "from"));
    return convert(target, source, conversion);
  });
}
