// What parses as a plan writes back to something that reads equal.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "pintle/plan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto plan = pintle::Plan::parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!plan) {
    if (plan.error().code() != pintle::Errc::invalid_argument) std::abort();
    return 0;
  }
  const auto again = pintle::Plan::parse(plan->text());
  if (!again || *again != *plan) std::abort();
  return 0;
}
