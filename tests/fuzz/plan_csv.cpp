// What parses as values to lay out writes back to something that reads equal, and is laid out or refused.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "io/plan_csv.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto problem = pintle::io::parse_plan_csv(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!problem) {
    if (problem.error().code() != pintle::Errc::invalid_argument) std::abort();
    return 0;
  }
  const auto text = pintle::io::serialize_plan_csv(*problem);
  if (!text) std::abort();
  const auto again = pintle::io::parse_plan_csv(*text);
  if (!again || *again != *problem) std::abort();
  const auto plan = pintle::lay_out(*problem, {.nodes = 100});
  if (!plan && plan.error().code() != pintle::Errc::invalid_argument) std::abort();
  if (plan && !pintle::check(*problem, *plan)) std::abort();
  return 0;
}
