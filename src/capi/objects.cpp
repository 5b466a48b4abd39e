#include "capi/objects.h"

#include <fmt/format.h>

namespace pintle::capi {

void end_timeline(pintle_signal timeline) noexcept { (void)Kind<pintle_signal>::table.release(timeline.id); }

Error no_object(std::string_view kind, std::uint64_t id, bool was_made) {
  if (id == 0) return {Errc::invalid_argument, fmt::format("The {} is the empty handle (0).", kind)};
  if (was_made) return {Errc::stale, fmt::format("The {} (handle {:#x}) was released.", kind, id)};
  return {Errc::invalid_argument,
          fmt::format("The handle ({:#x}) is no {}: it belongs to another type, or no call returned it.", id, kind)};
}

Error no_place(std::string_view kind) {
  return {Errc::out_of_memory,
          fmt::format("There is no memory for another {}, or more than {} live.", kind, HandleId::place_limit)};
}

}  // namespace pintle::capi
