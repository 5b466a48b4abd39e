// Errors as C has them.
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "capi/check.h"
#include "capi/enter.h"
#include "capi/structs.h"
#include "pintle/default_timeout.h"
#include "pintle/version.h"

namespace pintle::capi {
namespace {

// The strings that a pintle_error points to. The error keeps its own.
struct Strings {
  explicit Strings(const Error& failure) : error(failure), text(failure.text()) {
    for (const std::string& step : error.context()) context.push_back(step.c_str());
  }

  Error error;
  std::string text;
  std::vector<const char*> context;
};

constexpr const char* no_memory = "Memory ran out.";

void clear(pintle_error& error) noexcept {
  delete static_cast<Strings*>(error.owned);
  error = pintle_error PINTLE_ERROR_INIT;
}

void point_at(pintle_error& out, const Strings& strings) noexcept {
  out.text = strings.text.c_str();
  out.message = strings.error.message().data();
  out.context = strings.context.data();
  out.context_count = strings.context.size();
  if (const auto& vendor = strings.error.vendor()) {
    out.vendor_library = vendor->library.c_str();
    out.vendor_symbol = vendor->symbol.c_str();
    out.vendor_number = vendor->number;
  }
  if (!strings.error.device().empty()) out.device = strings.error.device().data();
  out.generation = strings.error.generation();
}

}  // namespace

pintle_status fail(pintle_error* out, const Error& failure) noexcept {
  const auto code = static_cast<pintle_status>(failure.code());
  if (out == nullptr) return code;
  clear(*out);
  out->code = code;
  out->text = out->message = no_memory;
  try {
    auto strings = std::make_unique<Strings>(failure);
    point_at(*out, *strings);
    out->owned = strings.release();
  } catch (const std::bad_alloc&) {
    out->text = out->message = no_memory;
  }
  return code;
}

Error take_failure(pintle_status status, pintle_error& filled) {
  const bool is_status = status > PINTLE_OK && status <= PINTLE_INTERNAL;
  const Errc code = is_status ? static_cast<Errc>(status) : Errc::internal;
  const auto* const strings = static_cast<const Strings*>(filled.owned);
  Error error =
      strings != nullptr && strings->error.code() == code ? strings->error
      : filled.message != nullptr
          ? Error(code, filled.message)
          : Error(code, fmt::format("A function of the caller's answers the status ({}) and no message.", status));
  clear(filled);
  return error;
}

Error caught() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {Errc::out_of_memory, "Host memory ran out."};
  } catch (const std::exception& thrown) {
    return {Errc::internal, std::string("An exception reached the C interface: ") + thrown.what() + "."};
  } catch (...) {
    return {Errc::internal, "An exception of no known type reached the C interface."};
  }
}

}  // namespace pintle::capi

using namespace pintle;
using namespace pintle::capi;

pintle_status pintle_error_free(pintle_error* freed, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    if (freed == nullptr) return {};
    if (!is_usable(*freed)) return wrong_size("pintle_error", freed->size, {}, sizeof(pintle_error));
    if (freed == error) return Error(Errc::invalid_argument, "The error to free is the one to fill.");
    clear(*freed);
    return {};
  });
}

pintle_status pintle_status_name(pintle_status status, const char** name, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(name, "name"));
    if (status == PINTLE_OK) {
      *name = "ok";
      return {};
    }
    if (status < 0 || status > PINTLE_INTERNAL) return no_number("status", status, PINTLE_INTERNAL);
    *name = pintle::name(static_cast<Errc>(status)).data();
    return {};
  });
}

pintle_status pintle_version(const char** version, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(version, "version"));
    *version = pintle::version.data();
    return {};
  });
}

pintle_status pintle_default_timeout(int64_t* nanoseconds, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(nanoseconds, "nanoseconds"));
    *nanoseconds = default_timeout().count();
    return {};
  });
}
