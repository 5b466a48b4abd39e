// Bytes and texts that the caller keeps.
#include "capi/bytes_objects.h"
#include "capi/check.h"
#include "capi/enter.h"

using namespace pintle;
using namespace pintle::capi;

pintle_status pintle_bytes_data(pintle_bytes bytes, const void** data, size_t* size, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(its, use(bytes));
    if (data != nullptr) *data = its->c_str();
    if (size != nullptr) *size = its->size();
    return {};
  });
}

pintle_status pintle_bytes_release(pintle_bytes bytes, pintle_error* error) {
  return enter(error, [&] { return release(bytes); });
}
