// What parses as .npy writes back to something that reads equal.
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
  const auto file = pintle::io::serialize_npy(*array);
  if (!file) std::abort();
  const auto again = pintle::io::parse_npy(*file);
  if (!again || *again != *array) std::abort();
  return 0;
}
