// What parses as a device id prints as text that parses to the same id and prints the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "registry/device_id.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using pintle::registry::DeviceId;
  const auto id = DeviceId::parse({reinterpret_cast<const char*>(data), size});
  if (!id) {
    if (id.error().code() != pintle::Errc::invalid_argument) std::abort();
    return 0;
  }
  const std::string text = id->text();
  if (text.size() > DeviceId::max_length) std::abort();
  const auto again = DeviceId::parse(text);
  if (!again || *again != *id || again->text() != text) std::abort();
  return 0;
}
