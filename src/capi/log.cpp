// The log's callback.
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "capi/check.h"
#include "capi/enter.h"
#include "pintle/c/log.h"
#include "pintle/log.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

using Callback = void (*)(void* data, std::uint32_t level, const char* category, const char* message);

static_assert(PINTLE_LOG_DEBUG == static_cast<int>(LogLevel::debug));

thread_local bool is_inside = false;

/// A thread inside of a callback.
class InCallback {
 public:
  InCallback() noexcept { is_inside = true; }
  InCallback(const InCallback&) = delete;
  InCallback& operator=(const InCallback&) = delete;
  ~InCallback() { is_inside = false; }
};

/// The library passes over a new callback from inside one.
Result<void> outside() {
  if (!is_inside) return {};
  return Error(Errc::invalid_argument, "The log's callback cannot be replaced while it runs, on its own thread.");
}

/// The texts of a message do not end in a NUL.
void tell(Callback callback, void* data, LogLevel level, std::string_view category, std::string_view message) {
  const std::string of(category), text(message);
  const InCallback inside;
  callback(data, static_cast<std::uint32_t>(level), of.c_str(), text.c_str());
}

}  // namespace

pintle_status pintle_log_set_callback(void (*callback)(void* data, uint32_t level, const char* category,
                                                       const char* message),
                                      void* data, uint32_t most_verbose, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(reinterpret_cast<const void*>(callback), "callback"));
    PINTLE_ASSIGN(last, enumerator(most_verbose, LogLevel::debug, "level of the log"));
    PINTLE_TRY(outside());
    set_log_callback([callback, data](LogLevel level, std::string_view category,
                                      std::string_view message) { tell(callback, data, level, category, message); },
                     last);
    return {};
  });
}

pintle_status pintle_log_clear_callback(pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(outside());
    set_log_callback({});
    return {};
  });
}

pintle_status pintle_log_level_name(uint32_t level, const char** name, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(name, "name"));
    PINTLE_ASSIGN(asked, enumerator(level, LogLevel::debug, "level of the log"));
    *name = pintle::name(asked).data();
    return {};
  });
}

pintle_status pintle_log_level_parse(const char* name, uint32_t* level, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(name, "name"));
    PINTLE_TRY(given(level, "level"));
    const std::optional<LogLevel> found = parse_log_level(name);
    if (!found)
      return Error(Errc::not_found,
                   fmt::format("The text ({}) is no level of the log: error, warn, info, debug.", name));
    *level = static_cast<std::uint32_t>(*found);
    return {};
  });
}
