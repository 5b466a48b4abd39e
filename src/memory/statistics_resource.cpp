#include <algorithm>
#include <mutex>
#include <utility>

#include "base/contain.h"
#include "base/fork.h"
#include "memory/request.h"
#include "pintle/resources.h"

namespace pintle {
namespace memory {

class Tallies {
 public:
  void add(std::uint64_t bytes) noexcept {
    std::lock_guard lock(mutex_);
    raise(now_.buffers, 1);
    raise(now_.bytes, bytes);
  }
  void remove(std::uint64_t bytes) noexcept {
    if (base::in_forked_child()) return;  // a thread that only the parent has may hold the lock
    std::lock_guard lock(mutex_);
    now_.buffers.current -= 1;
    now_.bytes.current -= bytes;
  }
  void fail() noexcept {
    std::lock_guard lock(mutex_);
    ++now_.failures;
  }
  [[nodiscard]] ResourceStatistics now() const noexcept {
    std::lock_guard lock(mutex_);
    return now_;
  }

 private:
  static void raise(ResourceTally& tally, std::uint64_t amount) noexcept {
    tally.current += amount;
    tally.total += amount;
    tally.peak = std::max(tally.peak, tally.current);
  }

  mutable std::mutex mutex_;
  ResourceStatistics now_;
};

namespace {

class StatisticsTicket {
 public:
  StatisticsTicket(std::shared_ptr<Tallies> tallies, std::uint64_t bytes) noexcept
      : tallies_(std::move(tallies)), bytes_(bytes) {
    tallies_->add(bytes_);
  }
  StatisticsTicket(const StatisticsTicket&) = delete;
  StatisticsTicket& operator=(const StatisticsTicket&) = delete;
  ~StatisticsTicket() { tallies_->remove(bytes_); }

 private:
  std::shared_ptr<Tallies> tallies_;
  std::uint64_t bytes_;
};

class StatisticsSource final : public Resource::Source {
 public:
  StatisticsSource(Resource upstream, std::shared_ptr<Tallies> state) noexcept
      : upstream_(std::move(upstream)), state_(std::move(state)) {}
  Result<Buffer> allocate(Queue& queue, DType dtype, const Shape& shape, const BufferOptions& options) override;

 private:
  Resource upstream_;
  std::shared_ptr<Tallies> state_;
};

}  // namespace
}  // namespace memory

StatisticsResource::StatisticsResource(std::shared_ptr<Source> source, std::shared_ptr<memory::Tallies> state) noexcept
    : Resource(std::move(source)), state_(std::move(state)) {}

Result<StatisticsResource> StatisticsResource::create(Resource upstream) {
  return memory::adaptor_before<StatisticsResource>(upstream, [&] {
    auto state = std::make_shared<memory::Tallies>();
    auto source = std::make_shared<memory::StatisticsSource>(upstream, state);
    return StatisticsResource(std::move(source), std::move(state));
  });
}

Result<Buffer> memory::StatisticsSource::allocate(Queue& queue, DType dtype, const Shape& shape,
                                                  const BufferOptions& options) {
  return base::contain("allocating with statistics", [&]() -> Result<Buffer> {
    auto made = upstream_.allocate(queue, dtype, shape, options);
    if (!made) state_->fail();
    else PINTLE_TRY(made->keep(std::make_shared<memory::StatisticsTicket>(state_, made->size_bytes())));
    return made;
  });
}

ResourceStatistics StatisticsResource::statistics() const noexcept {
  return state_ ? state_->now() : ResourceStatistics{};
}

}  // namespace pintle
