#include "core/door/describe.h"

#include <fmt/format.h>

#include "base/quote.h"

namespace pintle::core {

Error blocking_refused(std::string what) {
  return invalid(std::move(what) +
                 " blocks, which is refused inside a callback or host call: it could wait for itself.");
}

Error empty_object(std::string_view kind) {
  return invalid(fmt::format("This {} is empty: it was moved from or never made.", kind));
}

Error empty_window(std::string_view buffer, std::uint64_t offset) {
  return invalid(
      fmt::format("Window (0 bytes at offset {}) of {} is empty; a command needs at least 1 byte.", offset, buffer));
}

Error null_memory(std::uint64_t size, std::source_location where) {
  return invalid(fmt::format("Address (null) of the host memory has no {} bytes.", size), where);
}

std::string native_text(std::string_view type, std::string_view object) {
  return fmt::format("asking {} for the native type {}", object, base::quote(type));
}

}  // namespace pintle::core
