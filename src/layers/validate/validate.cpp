// Checks the seam's contracts from both sides: how core calls, and what the device answers. The rules are in kit.
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "base/contain.h"
#include "base/log.h"
#include "kit/call_rules.h"
#include "kit/forwarding.h"
#include "kit/memory_source.h"
#include "kit/options.h"

namespace pintle::layers {
namespace {

using backend::MemoryId;
using backend::QueueId;
using backend::QueuePoint;

constexpr auto fine = [](auto&&...) -> Result<void> { return {}; };

/// Adds to `check` the rule that core makes some calls one at a time.
using Turn = std::unique_lock<std::mutex>;
auto alone(const Turn& turn, auto check) {
  return [&turn, check]() -> Result<void> {
    PINTLE_TRY(kit::require(turn.owns_lock(), "Two calls run at once that core makes one at a time."));
    return check();
  };
}

class Device final : public kit::Forwarding {
 public:
  explicit Device(std::unique_ptr<backend::Device> inner)
      : Forwarding("validate", std::move(inner)), rules_(info_.limits) {}

  ~Device() override {
    inner_.reset();
    for (const auto& [device, point, original, is_done] : tickets_) {
      if (!is_done && !loss_ && rules_.is_reached(point)) breach("notify", "A notification is never told.");
    }
  }

  Result<MemoryId> allocate(const backend::MemoryRequest& request) override {
    const auto check = [&] { return rules_.check_allocation(request); };
    return make("allocate", check, [&] { return inner_->allocate(request); }, request.size);
  }
  Result<MemoryId> import_memory(const backend::MemorySource& source) override {
    return make("import_memory", fine, [&] { return inner_->import_memory(source); }, kit::size_of(source));
  }
  void release(MemoryId id) noexcept override {
    tell("release", [&] { return rules_.remove(id); }, [&] { inner_->release(id); });
  }
  Result<std::span<std::byte>> map(MemoryId id) override {
    return call(
        "map", [&] { return rules_.check_mapping(id, any); }, [&] { return inner_->map(id); },
        [&](std::span<std::byte> bytes) { return rules_.check_mapping(id, bytes.size()); });
  }
  void unmap(MemoryId id) noexcept override {
    tell("unmap", [&] { return rules_.check_mapping(id, any); }, [&] { inner_->unmap(id); });
  }
  Result<backend::ProgramId> load(const backend::ProgramImage& image) override {
    return make(
        "load", fine, [&] { return inner_->load(image); }, std::vector(image.entries.begin(), image.entries.end()));
  }
  void unload(backend::ProgramId id) noexcept override {
    tell("unload", [&] { return rules_.remove(id); }, [&] { inner_->unload(id); });
  }
  Result<backend::RecordingId> record(const backend::Commands& list) override {
    const Turn turn(turn_, std::try_to_lock);
    const auto check = alone(turn, [&] { return rules_.check_recording(list); });
    return make("record", check, [&] { return inner_->record(list); }, list);
  }
  void forget(backend::RecordingId id) noexcept override {
    const Turn turn(turn_, std::try_to_lock);
    tell("forget", alone(turn, [&] { return rules_.remove(id); }), [&] { inner_->forget(id); });
  }

  Result<QueueId> create_queue(const backend::QueueRequest& request) override {
    const Turn turn(turn_, std::try_to_lock);
    const auto check = alone(turn, [&] { return rules_.check_queue(request); });
    const auto create = [&] { return inner_->create_queue(request); };
    return make("create_queue", check, create, kit::KnownQueue(request.first_serial));
  }
  Result<QueueId> wrap_queue(const backend::NativeObject& native, const backend::QueueRequest& request) override {
    const Turn turn(turn_, std::try_to_lock);
    const auto check = alone(turn, [&] { return rules_.check_queue(request); });
    const auto wrap = [&] { return inner_->wrap_queue(native, request); };
    return make("wrap_queue", check, wrap, kit::KnownQueue(request.first_serial));
  }
  void destroy_queue(QueueId id) noexcept override {
    const Turn turn(turn_, std::try_to_lock);
    tell("destroy_queue", alone(turn, [&] { return rules_.remove(id); }), [&] { inner_->destroy_queue(id); });
  }
  Result<std::uint64_t> submit(QueueId id, std::span<const QueuePoint> waits, const backend::Commands& list) override {
    const Turn turn(turn_, std::try_to_lock);
    kit::Used used;
    const auto check = [&]() -> Result<void> {
      PINTLE_ASSIGN(found, rules_.submitting(id, waits, list));
      used = std::move(found);
      return {};
    };
    return call(
        "submit", alone(turn, check), [&] { return inner_->submit(id, waits, list); },
        [&](std::uint64_t serial) { return rules_.submitted(id, waits, used, serial); });
  }

  Result<std::uint64_t> reached(QueueId id) override {
    std::uint64_t floor = 0;
    return call(
        "reached", [&] { return rules_.asking({id, 0}, floor); }, [&] { return inner_->reached(id); },
        [&](std::uint64_t serial) { return rules_.reached(id, serial, floor); });
  }
  Result<void> wait(QueueId id, std::uint64_t serial, Deadline deadline) override {
    std::uint64_t floor = 0;
    const auto inside = [&]() -> Result<void> {
      auto waited = inner_->wait(id, serial, deadline);
      const bool is_early = !waited && waited.error().code() == Errc::timeout && Clock::now() < deadline;
      return is_early ? breach("wait", "A wait times out before its deadline.") : waited;
    };
    return call(
        "wait", [&] { return rules_.asking({id, serial}, floor); }, inside,
        [&] { return rules_.reached(id, serial, 0); });
  }
  Result<void> notify(QueueId id, std::uint64_t serial, backend::Notification notification) override {
    Ticket* ticket = nullptr;
    std::uint64_t floor = 0;
    const auto check = [&]() -> Result<void> {
      PINTLE_TRY(rules_.asking({id, serial}, floor));
      ticket = &tickets_.emplace_back(this, QueuePoint{id, serial}, notification);
      return {};
    };
    const auto inside = [&] { return inner_->notify(id, serial, {&Device::hear_notification, ticket}); };
    const auto accepted = call("notify", check, inside, fine);
    std::lock_guard lock(mutex_);
    if (!accepted && ticket != nullptr) ticket->is_done = true;  // refused, so it must not be told either
    return accepted;
  }

 private:
  static constexpr auto any = ~std::uint64_t{0};

  struct Ticket {
    Device* device;
    QueuePoint point;
    backend::Notification original;
    bool is_done = false;
  };

  /// Forwards a call that makes an object; `value` describes the object to the rules.
  auto make(const char* name, auto check, auto forward, auto value) -> decltype(forward()) {
    return call(name, check, forward, [&](auto id) { return rules_.add(id, value); });
  }

  /// Checks, forwards without the lock, and notes the answer. After a loss nothing is forwarded.
  auto call(const char* name, auto check, auto forward, auto note) -> decltype(forward()) {
    return base::contain(name, [&]() -> decltype(forward()) {
      std::unique_lock lock(mutex_);
      if (owed_) return *std::exchange(owed_, std::nullopt);
      if (const auto admitted = admit(name, check); !admitted) return hear(admitted.error());
      lock.unlock();
      auto answer = forward();
      lock.lock();
      if (!answer) return hear(answer.error());
      Result<void> noted;
      if constexpr (requires { note(*answer); }) noted = note(*answer);
      else noted = note();
      if (!noted) return breach(name, noted.error());
      return answer;
    });
  }

  /// Forwards a call without an answer. The next call that has an answer returns the breach.
  void tell(const char* name, auto check, auto forward) noexcept {
    const auto admitted = base::contain(name, [&]() -> Result<void> {
      std::lock_guard lock(mutex_);
      auto outcome = admit(name, check);
      if (!outcome && outcome.error().code() == Errc::internal) owed_ = outcome.error();
      return outcome;
    });
    if (admitted) forward();
  }

  Result<void> admit(const char* name, auto check) {
    if (told_loss_.contains(std::this_thread::get_id())) {
      return breach(name, "A call follows the loss that its thread was told of.");
    }
    if (loss_) return *loss_;
    const Result<void> checked = check();
    return checked ? checked : breach(name, checked.error());
  }

  /// Notes an error that the caller will get: a loss is remembered, with the thread that is told.
  Error hear(const Error& error) {
    if (error.code() != Errc::device_lost && error.code() != Errc::process_poisoned) return error;
    if (!loss_) loss_ = error;
    told_loss_.insert(std::this_thread::get_id());
    return error;
  }

  static void hear_notification(void* state) {
    auto& [device, point, original, is_done] = *static_cast<Ticket*>(state);
    {
      std::lock_guard lock(device->mutex_);
      if (std::exchange(is_done, true))
        return void(device->owed_ = device->breach("notify", "A notification is told twice, or after it was refused."));
      if (!device->loss_) device->rules_.told(point);
    }
    original.call(original.state);
  }

  Error breach(const char* name, std::string_view sentence) const {
    return breach(name, Error(Errc::internal, std::string(sentence)));
  }
  Error breach(const char* name, const Error& error) const {
    Error found =
        error.with_device(info_.id, 0).during(fmt::format("checking the contract of ({}) on [{}]", name, info_.id));
    base::log(LogLevel::error, "validate", "{}", found.text());
    return found;
  }

  std::mutex mutex_;
  std::mutex turn_;
  kit::CallRules rules_;
  std::deque<Ticket> tickets_;  // kept, so that a second telling is noticed
  std::optional<Error> owed_;   // the breach of a call that has no answer
  std::optional<Error> loss_;
  std::set<std::thread::id> told_loss_;
};

class Layer final : public backend::Layer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "validate"; }
  Result<std::unique_ptr<backend::Device>> wrap(std::unique_ptr<backend::Device> inner,
                                                std::span<const backend::Option> options) override {
    return base::contain("wrapping in [validate]", [&]() -> Result<std::unique_ptr<backend::Device>> {
      PINTLE_TRY(kit::read_options("validate", options, {}));
      return std::make_unique<Device>(std::move(inner));
    });
  }
};

}  // namespace

std::unique_ptr<backend::Layer> create_validate_layer() { return std::make_unique<Layer>(); }

}  // namespace pintle::layers
