// What the programs of this folder share: a kernel in the device's language, and expectations that end the process.
#pragma once

#include <cstdint>
#include <source_location>
#include <string_view>
#include <vector>

#include "pintle/pintle.h"

namespace faults {

constexpr int cannot_run = 77;

/// Ends the process with a line that says what was expected and where.
[[noreturn]] void fail(std::string_view text, std::source_location where);
inline void expect(bool holds, std::string_view text, std::source_location where = std::source_location::current()) {
  if (!holds) fail(text, where);
}
/// The value, or the end of the process with the error's text.
template <class T>
T value(pintle::Result<T> result, std::source_location where = std::source_location::current()) {
  if (!result) fail(result.error().text(), where);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}
/// Ends the process unless the result is good or has one of the codes.
void expect_one_of(const pintle::Result<void>& result, std::initializer_list<pintle::Errc> codes,
                   std::source_location where = std::source_location::current());

struct Source {
  std::string_view format, code;
};
/// Loads the first of the sources whose format the device takes. Ends the process with `cannot_run` where it takes
/// none.
pintle::Kernel load(const pintle::Device& device, std::initializer_list<Source> sources, std::string_view signature);

/// Fills four words and reads them back.
pintle::Result<void> compute(const pintle::Device& device);

/// Whether the device is CUDA's or HIP's, whose driver answers a fault in every context of the process for ever.
[[nodiscard]] bool faults_poison(const pintle::Device& device);

/// How the process has to end behind a fault.
enum class Ending : unsigned char {
  any = '.',
  soon = 's',  ///< Within a second.
};

Ending bad_store(const pintle::Device& device);
Ending endless(const pintle::Device& device);
Ending out_of_memory(const pintle::Device& device);

}  // namespace faults
