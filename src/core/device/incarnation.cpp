#include "core/device/incarnation.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/fork.h"
#include "base/log.h"
#include "base/settings.h"
#include "core/buffers/pool_state.h"
#include "core/device/process_end.h"
#include "core/door/describe.h"
#include "core/door/object_names.h"
#include "core/door/thread_context.h"
#include "core/program/program_state.h"
#include "core/queue/recording_state.h"
#include "core/time/reactor.h"

namespace pintle::core {
namespace {

std::uint64_t first_serial() {
  const auto settings = base::settings();
  return settings ? (*settings)->first_serial : 0;
}

// Who a number in a view belongs to, also after that incarnation has gone.
struct Names {
  struct Name {
    std::string id;
    std::uint64_t generation;
    std::weak_ptr<Incarnation> incarnation;
  };
  std::mutex mutex;
  std::uint64_t next = first_serial() + 1;
  std::unordered_map<std::uint64_t, Name> names;

  static Names& instance() {
    static Names& names = *new Names;
    return names;
  }

  std::uint64_t add(const std::string& id, std::uint64_t generation) {
    std::lock_guard lock(mutex);
    names[next] = {id, generation, {}};
    return next++;
  }

  void set(std::uint64_t number, std::weak_ptr<Incarnation> incarnation) {
    std::lock_guard lock(mutex);
    names[number].incarnation = std::move(incarnation);
  }

  std::optional<Name> find(std::uint64_t number) {
    std::lock_guard lock(mutex);
    const auto found = names.find(number);
    return found == names.end() ? std::nullopt : std::optional(found->second);
  }
};

Error stale(std::string_view object, std::string_view id, std::uint64_t generation, std::uint64_t current) {
  return Error(Errc::stale, fmt::format("{} belongs to generation ({}) of [{}], which is at generation ({}).", object,
                                        generation, id, current));
}

}  // namespace

std::string buffer_text(std::uint64_t incarnation, std::uint64_t id) {
  const auto owner = Names::instance().find(incarnation);
  const auto live = owner ? owner->incarnation.lock() : nullptr;
  return live ? live->buffer_text(id) : object_text("Buffer", static_cast<std::uint32_t>(id), "");
}

std::shared_ptr<Incarnation> Incarnation::find(std::uint64_t number) {
  const auto owner = Names::instance().find(number);
  return owner ? owner->incarnation.lock() : nullptr;
}

// Shared by everything that a user holds.
struct Incarnation::Lease {
  std::shared_ptr<Incarnation> incarnation;
  explicit Lease(std::shared_ptr<Incarnation> held) : incarnation(std::move(held)) {}
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() { incarnation->close(); }
};

Result<std::shared_ptr<Incarnation>> Incarnation::open(const std::string& id, std::uint64_t generation,
                                                       std::unique_ptr<backend::Device> device) {
  auto incarnation = std::make_shared<Incarnation>(id, generation, std::move(device));
  auto lease = std::make_shared<Lease>(incarnation);
  incarnation->lease_ = lease;
  Names::instance().set(incarnation->number(), incarnation);
  Reactor::instance().opened(incarnation->is_driven());
  const DeviceKind kind = incarnation->info().kind;
  if (kind != DeviceKind::cpu && kind != DeviceKind::simulated) end_with_process(incarnation);
  return std::shared_ptr<Incarnation>(lease, incarnation.get());
}

Incarnation::Incarnation(std::string id, std::uint64_t generation, std::unique_ptr<backend::Device> device)
    : device_(std::move(device)),
      info_(device_->info()),
      generation_(generation),
      number_(Names::instance().add(id, generation)),
      buffers_(static_cast<std::uint32_t>(first_serial() >> 32)) {
  info_.id = std::move(id);
}

Incarnation::~Incarnation() {
  if (base::in_forked_child()) static_cast<void>(device_.release());  // its threads are the parent's
}

std::shared_ptr<Incarnation> Incarnation::lease() const {
  auto lease = lease_.lock();
  Incarnation* const incarnation = lease ? lease->incarnation.get() : nullptr;
  return {std::move(lease), incarnation};
}

Result<void> Incarnation::usable(std::string_view object) const {
  if (base::in_forked_child()) return base::forked_error();
  if (!is_lost()) return {};
  const std::uint64_t successor = successor_.load(std::memory_order_acquire);
  if (successor != 0) return stale(object, id(), generation_, successor);
  return loss_->during(fmt::format("using {}", object));
}

Error Incarnation::foreign(std::string_view object, const Incarnation& other) const {
  if (id() == other.id() && generation_ < other.generation_) return stale(object, id(), generation_, other.generation_);
  return Error(Errc::invalid_argument, fmt::format("{} belongs to [{}], not to [{}].", object, id(), other.id()));
}

Result<void> Incarnation::check_owner(std::uint64_t number, std::string_view object) const {
  if (number == number_) return {};
  if (number == 0) return empty_object("BufferView");
  const auto owner = Names::instance().find(number);
  if (!owner) return Error(Errc::internal, fmt::format("{} has an unknown owner ({}).", object, number));
  if (owner->id == id() && owner->generation < generation_) return stale(object, id(), owner->generation, generation_);
  return Error(Errc::invalid_argument, fmt::format("{} belongs to [{}], not to [{}].", object, owner->id, id()));
}

Error Incarnation::report(const Error& error) {
  Worklist worklist;
  std::lock_guard lock(mutex_);
  return report_locked(error, worklist);
}

Error Incarnation::report_locked(const Error& error, Worklist& worklist) {
  Error named = error.device().empty() ? error.with_device(id(), generation_) : error;
  if (!is_loss(error.code())) return named;
  lose(named, worklist);
  return *loss_;
}

// Only the first cause counts. A lost backend touches nothing any more, so what submissions own can go at once.
void Incarnation::lose(const Error& error, Worklist& worklist) noexcept {
  if (is_lost()) return;
  loss_.emplace(error);
  lost_.store(true, std::memory_order_release);
  base::log(LogLevel::error, "core", "[{}] generation {} is lost: {}", id(), generation_, error.text());
  for (const auto& queue : queues_) queue->lose(error, worklist);
  worklist.later([dropped = std::make_shared<std::vector<Retired>>(std::move(retired_))] {});
  retired_.clear();
}

std::vector<std::shared_ptr<QueueState>> Incarnation::queues() {
  std::lock_guard lock(mutex_);
  return queues_;
}

std::shared_ptr<QueueState> Incarnation::find_queue(std::uint64_t number) const noexcept {
  const auto queue = std::ranges::find(queues_, number, [](const auto& each) { return each->number(); });
  return queue == queues_.end() ? nullptr : *queue;
}

bool Incarnation::is_finished(const Stamp& stamp) const noexcept {
  const auto queue = std::ranges::find(queues_, stamp.queue, [](const auto& each) { return each->number(); });
  return queue == queues_.end() || (*queue)->is_finished(stamp.serial);
}

bool Incarnation::is_finished(const Stamps& stamps) const noexcept {
  return std::ranges::all_of(stamps, [this](const Stamp& stamp) { return is_finished(stamp); });
}

bool Incarnation::is_after(const QueueState& queue, const Stamps& stamps) const {
  return std::ranges::all_of(stamps, [&](const Stamp& stamp) {
    return stamp.queue == queue.number() || is_finished(stamp) ||
           order_.is_behind({queue.number(), queue.last_serial()}, stamp);
  });
}

void Incarnation::note_order(Stamp later, Stamp earlier) {
  if (pools_.empty()) return;  // nobody asks
  order_.add(later, earlier, [this](const Stamp& stamp) { return is_finished(stamp); });
}

Result<std::shared_ptr<PoolState>> Incarnation::create_pool(PoolOptions options) {
  PINTLE_TRY(usable("[" + id() + "]"));
  std::lock_guard lock(mutex_);
  const std::string text = object_text("Pool", next_pool_++, options.label);
  auto pool = std::make_shared<PoolState>(*this, std::move(options), text);
  pools_.push_back(pool);
  auto handle = hand_out_with(pool, [this, pool] { abandon(pool); });
  count_held();  // so that buffers may come and go without a lease of their own
  return handle;
}

void Incarnation::abandon(const std::shared_ptr<PoolState>& pool) noexcept {
  if (base::in_forked_child()) return;
  std::shared_ptr<Incarnation> last;
  Worklist worklist;
  std::lock_guard lock(mutex_);
  last = count_gone();
  pool->abandon();
  dispose_pools(worklist);
}

/// Pools that nobody holds give back what has become free, and go when nothing is left.
void Incarnation::dispose_pools(Worklist& worklist) {
  std::erase_if(pools_, [&](const std::shared_ptr<PoolState>& pool) {
    if (!pool->is_abandoned()) return false;
    pool->release_free(0, worklist);
    return is_lost() || pool->is_empty();
  });
}

void Incarnation::retire(Stamps stamps, std::function<void()> dispose, Worklist& worklist) {
  if (is_lost()) return;
  if (is_finished(stamps)) {
    worklist.later(std::move(dispose));
  } else {
    retired_.push_back({std::move(stamps), std::move(dispose)});
  }
}

void Incarnation::dispose_finished(Worklist& worklist) {
  if (!pools_.empty()) dispose_pools(worklist);
  std::erase_if(retired_, [&](Retired& retired) {
    if (!is_finished(retired.stamps)) return false;
    worklist.later(std::move(retired.dispose));
    return true;
  });
  std::erase_if(queues_, [&](std::shared_ptr<QueueState>& queue) {
    if (!queue->is_abandoned() || !queue->is_idle() || !queue->try_end_calls()) return false;
    device_->destroy_queue(queue->id());
    worklist.later([dropped = std::move(queue)] {});
    return true;
  });
}

Result<std::shared_ptr<QueueState>> Incarnation::create_queue(const QueueOptions& options) {
  PINTLE_TRY(usable("[" + id() + "]"));
  if (options.kind == QueueKind::copy && info_.capability(Feature::copy_queue).support == Support::absent) {
    return Error(Errc::unsupported,
                 fmt::format("[{}] has no copy queues: {}.", id(), info_.capability(Feature::copy_queue).detail));
  }
  return make_queue(options, "creating a queue",
                    [this](const backend::QueueRequest& request) { return device_->create_queue(request); });
}

Result<std::shared_ptr<QueueState>> Incarnation::wrap_queue(const backend::NativeObject& queue,
                                                            const QueueOptions& options) {
  PINTLE_TRY(usable("[" + id() + "]"));
  return make_queue(options, "wrapping a queue for [" + id() + "]",
                    [&](const backend::QueueRequest& request) { return device_->wrap_queue(queue, request); });
}

template <class Create>
Result<std::shared_ptr<QueueState>> Incarnation::make_queue(const QueueOptions& options, std::string_view what,
                                                            Create create) {
  Worklist worklist;
  std::lock_guard lock(mutex_);
  const std::uint64_t first = first_serial();
  const auto created = create({options.kind, first, options.label});
  if (!created) return report_locked(created.error(), worklist).during(std::string(what));
  const std::uint64_t number = next_queue_++;
  auto queue = std::make_shared<QueueState>(shared_from_this(), *created, number, options.kind, first,
                                            object_text("Queue", number, options.label));
  queue->create_timeline();
  queues_.push_back(queue);
  return hand_out_with(queue, [this, queue] { abandon(queue); });
}

template <class State>
std::shared_ptr<State> Incarnation::hand_out_with(std::shared_ptr<State> state, std::function<void()> ended) {
  struct Handle {
    std::shared_ptr<Incarnation> lease;
    std::function<void()> ended;
    std::shared_ptr<State> state;
    ~Handle() {
      if (ended) ended();
    }
  };
  State* const pointer = state.get();
  return {std::shared_ptr<Handle>(new Handle{lease(), std::move(ended), std::move(state)}), pointer};
}

std::shared_ptr<ProgramState> Incarnation::hand_out(std::shared_ptr<ProgramState> program) {
  return hand_out_with(std::move(program), nullptr);
}

void Incarnation::abandon(const std::shared_ptr<QueueState>& queue) noexcept {
  if (base::in_forked_child()) return;
  Worklist worklist;
  std::lock_guard lock(mutex_);
  queue->abandon();
  if (is_lost()) {
    std::erase(queues_, queue);
  } else if (queue->is_idle()) {
    dispose_finished(worklist);
  } else if (const auto serial = queue->unfinished_native()) {
    queue->watch(*serial);
  }
}

Result<std::shared_ptr<RecordingState>> Incarnation::record(CommandList list) {
  PINTLE_TRY(usable("[" + id() + "]"));
  if (list.error()) return list.error()->during("recording on [" + id() + "]");
  if (list.borrows_) {
    return Error(Errc::invalid_argument,
                 "A recording cannot borrow host memory for its replays: use a slot, or memory that the list keeps.");
  }
  if (list.crossings_ != nullptr) {
    return Error(Errc::invalid_argument,
                 "A recording works on one device, and a copy of the list crosses two: submit it.");
  }
  Worklist worklist;
  std::lock_guard lock(mutex_);
  auto recording = std::make_shared<RecordingState>(shared_from_this(), std::move(list),
                                                    object_text("Recording", next_recording_++, ""));
  if (auto frozen = recording->freeze(); !frozen)
    return report_locked(frozen.error(), worklist).during("recording on [" + id() + "]");
  return hand_out_with(recording, [this, recording] { retire_recording(recording); });
}

void Incarnation::retire_recording(std::shared_ptr<RecordingState> recording) noexcept {
  if (base::in_forked_child()) return;
  Worklist worklist;
  std::lock_guard lock(mutex_);
  const Stamps stamps = recording->stamps();
  retire(
      stamps,
      [this, kept = std::move(recording)] {
        std::lock_guard forgetting(mutex_);
        if (!is_lost()) kept->forget();
      },
      worklist);
}

}  // namespace pintle::core
