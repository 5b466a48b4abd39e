#include <fmt/format.h>

#include <utility>

#include "base/contain.h"
#include "memory/request.h"
#include "pintle/resources.h"

namespace pintle {
namespace {

std::string number_text(std::uint64_t number) {
  return number == FailOptions::never ? "never" : std::to_string(number);
}

}  // namespace

Result<Buffer> FailResource::allocate(Queue& queue, DType dtype, const Shape& shape, const BufferOptions& options) {
  return base::contain("allocating with failures", [&]() -> Result<Buffer> {
    const std::uint64_t number = requests_.fetch_add(1, std::memory_order_relaxed) + 1;
    const bool is_multiple = options_.every != 0 && number % options_.every == 0;
    if (!is_multiple && number <= options_.after) return upstream_.allocate(queue, dtype, shape, options);
    return Error(Errc::out_of_memory,
                 fmt::format("Request ({}), for {}, fails as a FailResource was told: every ({}), after ({}).", number,
                             memory::request_text(options), number_text(options_.every), number_text(options_.after)));
  });
}

}  // namespace pintle
