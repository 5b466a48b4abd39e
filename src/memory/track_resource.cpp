#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "base/contain.h"
#include "base/fork.h"
#include "memory/request.h"
#include "pintle/resources.h"

namespace pintle {
namespace memory {

class Holders {
 public:
  std::uint64_t add(ResourceHolder holder) {
    std::lock_guard lock(mutex_);
    holders_.emplace(++last_, std::move(holder));
    return last_;
  }
  void remove(std::uint64_t number) noexcept {
    if (base::in_forked_child()) return;  // a thread that only the parent has may hold the lock
    std::lock_guard lock(mutex_);
    holders_.erase(number);
  }
  [[nodiscard]] std::vector<ResourceHolder> largest_first() const {
    std::multimap<std::uint64_t, ResourceHolder, std::greater<>> sorted;  // keeps the order of equal sizes
    {
      std::lock_guard lock(mutex_);
      for (const auto& [number, holder] : holders_) sorted.emplace(holder.bytes, holder);
    }
    std::vector<ResourceHolder> all;
    for (auto& [bytes, holder] : sorted) all.push_back(std::move(holder));
    return all;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, ResourceHolder> holders_;  // by age
  std::uint64_t last_ = 0;
};

namespace {

class TrackTicket {
 public:
  TrackTicket(std::shared_ptr<Holders> holders, const Buffer& buffer)
      : holders_(std::move(holders)), number_(holders_->add({buffer.text(), buffer.size_bytes()})) {}
  TrackTicket(const TrackTicket&) = delete;
  TrackTicket& operator=(const TrackTicket&) = delete;
  ~TrackTicket() { holders_->remove(number_); }

 private:
  std::shared_ptr<Holders> holders_;
  std::uint64_t number_;
};

class TrackSource final : public Resource::Source {
 public:
  TrackSource(Resource upstream, std::shared_ptr<Holders> state) noexcept
      : upstream_(std::move(upstream)), state_(std::move(state)) {}
  Result<Buffer> allocate(Queue& queue, DType dtype, const Shape& shape, const BufferOptions& options) override;

 private:
  Resource upstream_;
  std::shared_ptr<Holders> state_;
};

}  // namespace
}  // namespace memory

TrackResource::TrackResource(std::shared_ptr<Source> source, std::shared_ptr<memory::Holders> state) noexcept
    : Resource(std::move(source)), state_(std::move(state)) {}

Result<TrackResource> TrackResource::create(Resource upstream) {
  return memory::adaptor_before<TrackResource>(upstream, [&] {
    auto state = std::make_shared<memory::Holders>();
    auto source = std::make_shared<memory::TrackSource>(upstream, state);
    return TrackResource(std::move(source), std::move(state));
  });
}

Result<Buffer> memory::TrackSource::allocate(Queue& queue, DType dtype, const Shape& shape,
                                             const BufferOptions& options) {
  return base::contain("allocating with a list of holders", [&]() -> Result<Buffer> {
    auto made = upstream_.allocate(queue, dtype, shape, options);
    if (made) PINTLE_TRY(made->keep(std::make_shared<memory::TrackTicket>(state_, *made)));
    return made;
  });
}

std::vector<ResourceHolder> TrackResource::holders() const noexcept {
  if (state_ == nullptr) return {};
  return base::contain_or(std::vector<ResourceHolder>(), [&] { return state_->largest_first(); });
}

}  // namespace pintle
