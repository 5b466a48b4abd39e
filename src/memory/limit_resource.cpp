#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "base/contain.h"
#include "base/fork.h"
#include "memory/request.h"
#include "pintle/resources.h"

namespace pintle {
namespace memory {

class Limit {
 public:
  explicit Limit(std::uint64_t bytes) noexcept : limit_(bytes) {}

  [[nodiscard]] std::uint64_t limit() const noexcept { return limit_; }
  [[nodiscard]] std::uint64_t in_use() const noexcept {
    std::lock_guard lock(mutex_);
    return in_use_;
  }
  /// Empty when the bytes are taken; otherwise the bytes that were in use at that moment.
  [[nodiscard]] std::optional<std::uint64_t> take(std::uint64_t bytes) noexcept {
    std::lock_guard lock(mutex_);
    if (bytes > limit_ - in_use_) return in_use_;
    in_use_ += bytes;
    return std::nullopt;
  }
  void give(std::uint64_t bytes) noexcept {
    if (base::in_forked_child()) return;  // a thread that only the parent has may hold the lock
    std::lock_guard lock(mutex_);
    in_use_ -= bytes;
  }

 private:
  const std::uint64_t limit_;
  mutable std::mutex mutex_;
  std::uint64_t in_use_ = 0;  // at most the limit
};

namespace {

/// Bytes taken from a limit, from the request on.
class LimitTicket {
 public:
  explicit LimitTicket(std::shared_ptr<Limit> limit) noexcept : limit_(std::move(limit)) {}
  LimitTicket(const LimitTicket&) = delete;
  LimitTicket& operator=(const LimitTicket&) = delete;
  ~LimitTicket() { limit_->give(taken_); }

  [[nodiscard]] Result<void> take(std::uint64_t bytes, const BufferOptions& options) {
    if (const auto in_use = limit_->take(bytes)) {
      return Error(Errc::out_of_memory,
                   fmt::format("Size ({}) of {} and the bytes in use ({}) are together larger than the limit ({}).",
                               bytes, request_text(options), *in_use, limit_->limit()));
    }
    taken_ = bytes;
    return {};
  }

 private:
  std::shared_ptr<Limit> limit_;
  std::uint64_t taken_ = 0;
};

class LimitSource final : public Resource::Source {
 public:
  LimitSource(Resource upstream, std::shared_ptr<Limit> state) noexcept
      : upstream_(std::move(upstream)), state_(std::move(state)) {}
  Result<Buffer> allocate(Queue& queue, DType dtype, const Shape& shape, const BufferOptions& options) override;

 private:
  Resource upstream_;
  std::shared_ptr<Limit> state_;
};

}  // namespace
}  // namespace memory

LimitResource::LimitResource(std::shared_ptr<Source> source, std::shared_ptr<memory::Limit> state) noexcept
    : Resource(std::move(source)), state_(std::move(state)) {}

Result<LimitResource> LimitResource::create(Resource upstream, std::uint64_t bytes) {
  return memory::adaptor_before<LimitResource>(upstream, [&] {
    auto state = std::make_shared<memory::Limit>(bytes);
    auto source = std::make_shared<memory::LimitSource>(upstream, state);
    return LimitResource(std::move(source), std::move(state));
  });
}

Result<Buffer> memory::LimitSource::allocate(Queue& queue, DType dtype, const Shape& shape,
                                             const BufferOptions& options) {
  return base::contain("allocating below a limit", [&]() -> Result<Buffer> {
    const auto bytes = memory::requested_bytes(dtype, shape);
    if (!bytes) return upstream_.allocate(queue, dtype, shape, options);
    auto ticket = std::make_shared<memory::LimitTicket>(state_);
    PINTLE_TRY(ticket->take(*bytes, options));
    auto made = upstream_.allocate(queue, dtype, shape, options);
    if (made) PINTLE_TRY(made->keep(std::move(ticket)));
    return made;
  });
}

std::uint64_t LimitResource::in_use() const noexcept { return state_ ? state_->in_use() : 0; }
std::uint64_t LimitResource::limit() const noexcept { return state_ ? state_->limit() : 0; }

}  // namespace pintle
