#include "core/door/object_names.h"

namespace pintle::core {

std::string object_text(std::string_view kind, std::uint64_t number, std::string_view label) {
  if (label.empty()) return fmt::format("[{} {}]", kind, number);
  return fmt::format("[{} {} {}]", kind, number, base::quote(label));
}

}  // namespace pintle::core
