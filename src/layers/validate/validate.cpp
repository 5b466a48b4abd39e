// Checks the contracts of the seam from both sides: how core calls, and what the device inside answers. The rules are
// in kit/call_rules.h and kit/list_rules.h; here they meet the calls.
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
#include "kit/options.h"

namespace pintle::layers {
namespace {

using backend::MemoryId;
using backend::ProgramId;
using backend::QueueId;
using backend::QueuePoint;
using backend::RecordingId;

Result<void> fine(auto&&...) { return {}; }

class Device final : public kit::Forwarding {
 public:
  explicit Device(std::unique_ptr<backend::Device> inner)
      : Forwarding("validate", std::move(inner)), rules_(info_.limits) {}

  ~Device() override {
    inner_.reset();
    for (const Ticket& ticket : tickets_) {
      if (!ticket.is_done && !loss_ && rules_.is_reached(ticket.point))
        breach("notify", "A notification is never told.");
    }
  }

  Result<MemoryId> allocate(const backend::MemoryRequest& request) override {
    return call(
        "allocate", [&] { return rules_.check_allocation(request); }, [&] { return inner_->allocate(request); },
        [&](MemoryId id) { return rules_.add(id, request.size); });
  }
  Result<MemoryId> import_host(std::span<std::byte> bytes) override {
    return call(
        "import_host", fine<>, [&] { return inner_->import_host(bytes); },
        [&](MemoryId id) { return rules_.add(id, bytes.size()); });
  }
  Result<MemoryId> import_memory(const backend::Exported& from) override {
    return call(
        "import_memory", fine<>, [&] { return inner_->import_memory(from); },
        [&](MemoryId id) { return rules_.add(id, from.size); });
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

  Result<ProgramId> load(const backend::ProgramImage& image) override {
    const auto check = [&] { return kit::require(!image.entries.empty(), "Program [{}] has no entries.", image.name); };
    return call(
        "load", check, [&] { return inner_->load(image); },
        [&](ProgramId id) { return rules_.add(id, {image.entries.begin(), image.entries.end()}); });
  }
  void unload(ProgramId id) noexcept override {
    tell("unload", [&] { return rules_.remove(id); }, [&] { inner_->unload(id); });
  }
  Result<RecordingId> record(const backend::Commands& list) override {
    const Turn turn(turn_, std::try_to_lock);
    return call(
        "record", [&] { return alone(turn, [&] { return rules_.check_recording(list); }); },
        [&] { return inner_->record(list); }, [&](RecordingId id) { return rules_.add(id, list); });
  }
  void forget(RecordingId id) noexcept override {
    const Turn turn(turn_, std::try_to_lock);
    tell("forget", [&] { return alone(turn, [&] { return rules_.remove(id); }); }, [&] { inner_->forget(id); });
  }

  Result<QueueId> create_queue(const backend::QueueRequest& request) override {
    const Turn turn(turn_, std::try_to_lock);
    const std::uint64_t first = request.first_serial;
    return call(
        "create_queue", [&] { return alone(turn, fine<>); }, [&] { return inner_->create_queue(request); },
        [&](QueueId id) { return rules_.add(id, {first, first, first, first}); });
  }
  Result<QueueId> import_timeline(const backend::Exported& exported) override {
    return call(
        "import_timeline", fine<>, [&] { return inner_->import_timeline(exported); },
        [&](QueueId id) { return rules_.add(id, {any, any}); });  // its serials rise elsewhere
  }
  void destroy_queue(QueueId id) noexcept override {
    const Turn turn(turn_, std::try_to_lock);
    tell(
        "destroy_queue", [&] { return alone(turn, [&] { return rules_.remove(id); }); },
        [&] { inner_->destroy_queue(id); });
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
        "submit", [&] { return alone(turn, check); }, [&] { return inner_->submit(id, waits, list); },
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
    const auto inside = [&]() -> Result<std::uint64_t> {
      const auto waited = inner_->wait(id, serial, deadline);
      if (waited) return serial;
      const bool is_early = waited.error().code() == Errc::timeout && Clock::now() < deadline;
      return is_early ? breach("wait", "A wait times out before its deadline.") : waited.error();
    };
    PINTLE_TRY(call(
        "wait", [&] { return rules_.asking({id, serial}, floor); }, inside,
        [&](std::uint64_t value) { return rules_.reached(id, value, 0); }));
    return {};
  }
  Result<void> notify(QueueId id, std::uint64_t serial, backend::Notification notification) override {
    Ticket* ticket = nullptr;
    std::uint64_t floor = 0;
    const auto check = [&]() -> Result<void> {
      PINTLE_TRY(rules_.asking({id, serial}, floor));
      ticket = &tickets_.emplace_back(this, QueuePoint{id, serial}, notification);
      return {};
    };
    const auto inside = [&]() -> Result<bool> {
      const auto accepted = inner_->notify(id, serial, {&Device::hear_notification, ticket});
      if (accepted) return true;
      std::lock_guard lock(mutex_);
      ticket->is_done = true;  // refused: it must not be told either
      return accepted.error();
    };
    PINTLE_TRY(call("notify", check, inside, fine<bool&>));
    return {};
  }

 private:
  static constexpr auto any = ~std::uint64_t{0};

  struct Ticket {
    Device* device;
    QueuePoint point;
    backend::Notification original;
    bool is_done = false;
  };

  /// `check` behind the rule that core makes these calls one at a time.
  using Turn = std::unique_lock<std::mutex>;
  template <class Check>
  static Result<void> alone(const Turn& turn, Check check) {
    PINTLE_TRY(kit::require(turn.owns_lock(), "Two calls run at once that core makes one at a time."));
    return check();
  }

  /// Checks, forwards without the lock, and notes the answer. After a loss nothing is forwarded.
  template <class Check, class Forward, class Note>
  std::invoke_result_t<Forward> call(const char* name, Check check, Forward forward, Note note) {
    return base::contain(name, [&]() -> std::invoke_result_t<Forward> {
      std::unique_lock lock(mutex_);
      if (owed_) return *std::exchange(owed_, std::nullopt);
      if (const auto admitted = admit(name, check); !admitted) return hear(admitted.error());
      lock.unlock();
      auto answer = forward();
      lock.lock();
      if (!answer) return hear(answer.error());
      if (const auto noted = note(*answer); !noted) return breach(name, noted.error());
      return answer;
    });
  }

  /// The same for a call without an answer: its breach is answered by the next call that has one.
  template <class Check, class Forward>
  void tell(const char* name, Check check, Forward forward) noexcept {
    const auto admitted = base::contain(name, [&]() -> Result<void> {
      std::lock_guard lock(mutex_);
      auto outcome = admit(name, check);
      if (!outcome && outcome.error().code() == Errc::internal) owed_ = outcome.error();
      return outcome;
    });
    if (admitted) forward();
  }

  template <class Check>
  Result<void> admit(const char* name, Check check) {
    if (told_loss_.contains(std::this_thread::get_id())) {
      return breach(name, "A call follows the loss that its thread was told of.");
    }
    if (loss_) return *loss_;
    const Result<void> checked = check();
    return checked ? checked : breach(name, checked.error());
  }

  /// An error on its way out: a loss is remembered, and who was told.
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
      if (std::exchange(is_done, true)) {
        device->owed_ = device->breach("notify", "A notification is told twice, or after it was refused.");
        return;
      }
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
  std::optional<Error> owed_;   // the breach of a call without an answer
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
