// What parses as .npy writes back to something that reads equal, and a view of it has the same elements.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "io/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto array = pintle::io::parse_npy(std::as_bytes(std::span(data, size)));
  if (!array) {
    if (array.error().code() != pintle::Errc::invalid_argument) std::abort();
    return 0;
  }
  if (const auto view = pintle::io::view_npy(std::as_bytes(std::span(data, size)))) {
    if (view->dtype != array->dtype || view->shape != array->shape) std::abort();
    if (!std::ranges::equal(view->bytes, array->bytes)) std::abort();
  } else if (view.error().code() != pintle::Errc::unsupported) {
    std::abort();
  }
  const auto file = pintle::io::serialize_npy(*array);
  if (!file) std::abort();
  const auto again = pintle::io::parse_npy(*file);
  if (!again || *again != *array) std::abort();
  return 0;
}
