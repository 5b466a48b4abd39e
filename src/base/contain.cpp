#include "base/contain.h"

#include <fmt/format.h>

#include <string>

namespace pintle::base {
namespace {

Error unexpected(std::string_view what, const char* words) noexcept {
  try {
    return {Errc::internal, fmt::format("An unexpected exception ({}) ends {}.", words, what)};
  } catch (...) {
    return {Errc::internal, {}};
  }
}

}  // namespace

Error error_of_exception(std::string_view what) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {Errc::out_of_memory, "Memory ran out."};
  } catch (const std::length_error&) {
    return {Errc::out_of_memory, "Memory ran out."};
  } catch (const std::exception& error) {
    return unexpected(what, error.what());
  } catch (...) {
    return unexpected(what, "not derived from std::exception");
  }
}

}  // namespace pintle::base
