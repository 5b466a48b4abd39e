// What parses as a signature prints as one that reads equal, and prints the same again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "pintle/entry.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto entry = pintle::Entry::parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!entry) {
    if (entry.error().code() != pintle::Errc::invalid_argument) std::abort();
    return 0;
  }
  const auto again = pintle::Entry::parse(entry->signature());
  if (!again || *again != *entry || again->signature() != entry->signature()) std::abort();
  return 0;
}
