// The log's callback.
#include <fmt/format.h>
#include <optional>

#include "capi/check.h"
#include "capi/enter.h"
#include "capi/log_queue.h"
#include "pintle/c/log.h"
#include "pintle/log.h"

using namespace pintle;
using namespace pintle::capi;

static_assert(PINTLE_LOG_DEBUG == static_cast<int>(LogLevel::debug));

pintle_status pintle_log_set_callback(void (*callback)(void* data, uint32_t level, const char* category,
                                                       const char* message),
                                      void* data, uint32_t most_verbose, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(reinterpret_cast<const void*>(callback), "callback"));
    PINTLE_ASSIGN(last, enumerator(most_verbose, LogLevel::debug, "level of the log"));
    return LogQueue::instance().listen({callback, data, last});
  });
}

pintle_status pintle_log_clear_callback(pintle_error* error) {
  return enter(error, [] { return LogQueue::instance().listen({}); });
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
