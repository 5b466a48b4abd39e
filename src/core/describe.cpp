#include "core/describe.h"

#include <fmt/format.h>

#include "base/quote.h"

namespace pintle::core {

std::string object_text(std::string_view kind, std::uint64_t number, std::string_view label) {
  if (label.empty()) return fmt::format("[{} {}]", kind, number);
  return fmt::format("[{} {} {}]", kind, number, base::quote(label));
}

Error blocking_refused(std::string what) {
  return Error(Errc::invalid_argument,
               std::move(what) + " blocks, which is refused inside a callback or host call: it could wait for itself.");
}

Error empty_object(std::string_view kind) {
  return Error(Errc::invalid_argument, fmt::format("This {} is empty: it was moved from or never made.", kind));
}

}  // namespace pintle::core
