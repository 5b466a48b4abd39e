#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "base/contain.h"
#include "memory/request.h"
#include "pintle/resources.h"

namespace pintle {
namespace memory {
namespace {

std::string number_text(std::uint64_t number) {
  return number == FailOptions::never ? "never" : std::to_string(number);
}

}  // namespace

class FailSource final : public Resource::Source {
 public:
  FailSource(Resource upstream, FailOptions options) noexcept : upstream_(std::move(upstream)), options_(options) {}
  Result<Buffer> allocate(Queue& queue, DType dtype, const Shape& shape, const BufferOptions& options) override;
  [[nodiscard]] std::uint64_t requests() const noexcept { return requests_.load(std::memory_order_relaxed); }

 private:
  Resource upstream_;
  FailOptions options_;
  std::atomic<std::uint64_t> requests_{0};
};

Result<Buffer> FailSource::allocate(Queue& queue, DType dtype, const Shape& shape, const BufferOptions& options) {
  return base::contain("allocating with failures", [&]() -> Result<Buffer> {
    const std::uint64_t number = requests_.fetch_add(1, std::memory_order_relaxed) + 1;
    const bool is_multiple = options_.every != 0 && number % options_.every == 0;
    if (!is_multiple && number <= options_.after) return upstream_.allocate(queue, dtype, shape, options);
    return Error(Errc::out_of_memory,
                 fmt::format("Request ({}), for {}, fails as a FailResource was told: every ({}), after ({}).", number,
                             request_text(options), number_text(options_.every), number_text(options_.after)));
  });
}

}  // namespace memory

FailResource::FailResource(const std::shared_ptr<memory::FailSource>& state) noexcept
    : Resource(state), state_(state) {}

Result<FailResource> FailResource::create(Resource upstream, FailOptions options) {
  return memory::adaptor_before<FailResource>(
      upstream, [&] { return FailResource(std::make_shared<memory::FailSource>(upstream, options)); });
}

std::uint64_t FailResource::requests() const noexcept { return state_ ? state_->requests() : 0; }

}  // namespace pintle
