#include "core/life/life.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <utility>

#include "base/fork.h"
#include "base/log.h"
#include "base/quote.h"
#include "base/settings.h"
#include "core/door/describe.h"

namespace pintle::core {
namespace {

// Ended lives that are remembered, so that errors name device and generation. A view of an older life is stale as well.
constexpr std::size_t most_ended = 256;

class Owners {
 public:
  static Owners& instance() {
    static Owners& owners = *new Owners;
    return owners;
  }

  /// A number that no other life of the process has.
  std::uint64_t add(const std::string& id, std::uint64_t generation) {
    const std::lock_guard lock(mutex_);
    all_[next_] = {id, generation, {}};
    return next_++;
  }
  void set(std::uint64_t number, std::weak_ptr<void> table) {
    const std::lock_guard lock(mutex_);
    all_[number].table = std::move(table);
  }
  /// The life is over. Only the latest of the ended lives are remembered.
  void end(std::uint64_t number) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(number);
    if (found == all_.end()) return;
    found->second.table.reset();
    if (++ended_ > most_ended) forget_oldest();
  }
  [[nodiscard]] std::optional<Owner> find(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(number);
    return found == all_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  void forget_oldest() noexcept {
    for (auto each = all_.begin(); each != all_.end(); ++each) {
      if (!each->second.table.expired()) continue;
      all_.erase(each);
      --ended_;
      return;
    }
  }

  std::mutex mutex_;
  std::uint64_t next_ = first_serial() + 1;
  std::map<std::uint64_t, Owner> all_;
  std::size_t ended_ = 0;
};

Error stale(std::string_view object, std::string_view id, std::uint64_t generation, std::uint64_t current) {
  return Error(Errc::stale, fmt::format("{} belongs to generation ({}) of [{}], which is at generation ({}).", object,
                                        generation, id, current));
}

}  // namespace

Life::Life(std::string id, std::uint64_t generation, std::unique_ptr<backend::Device> device, Body& body)
    : device_(std::move(device)),
      info_(device_->info()),
      generation_(generation),
      number_(Owners::instance().add(id, generation)),
      body_(body) {
  info_.id = std::move(id);
}

Life::~Life() {
  if (base::in_forked_child()) {  // the device's threads run in the parent only
    static_cast<void>(device_.release());
    return;
  }
  Owners::instance().end(number_);
}

std::shared_ptr<void> Life::begin(std::shared_ptr<Body> body) {
  struct Lease {
    std::shared_ptr<Body> body;
    explicit Lease(std::shared_ptr<Body> held) noexcept : body(std::move(held)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { body->close(); }
  };
  keeper_ = body;
  std::shared_ptr<void> lease = std::make_shared<Lease>(std::move(body));
  lease_ = lease;
  return lease;
}

Result<void> Life::usable(std::string_view object) const {
  if (base::in_forked_child()) return base::forked_error();
  if (!is_lost()) return {};
  const std::uint64_t successor = successor_.load(std::memory_order_acquire);
  if (successor != 0) return stale(object, id(), generation_, successor);
  return loss_->during(fmt::format("using {}", object));
}

Error Life::foreign(std::string_view object, const Life& other) const {
  if (id() == other.id() && generation_ < other.generation_) return stale(object, id(), generation_, other.generation_);
  return invalid(fmt::format("{} belongs to [{}], not to [{}].", object, id(), other.id()));
}

Result<void> Life::check_owner(std::uint64_t number, std::string_view object) const {
  if (number == number_) return {};
  if (number == 0) return empty_object("BufferView");
  const auto owner = find_owner(number);
  if (!owner) return Error(Errc::stale, fmt::format("{} belonged to a device that has been closed.", object));
  if (owner->id == id() && owner->generation < generation_) return stale(object, id(), owner->generation, generation_);
  return invalid(fmt::format("{} belongs to [{}], not to [{}].", object, owner->id, id()));
}

Error Life::report(const Error& error) {
  Worklist worklist;
  return report(error, worklist);
}

Error Life::report(const Error& error, Worklist& worklist) {
  const bool is_named = !error.device().empty() && error.generation() != 0;
  Error named = is_named ? error : error.with_device(id(), generation_);
  if (!is_loss(error.code())) return named;
  Locked locked = lock();
  lose(named, locked, worklist);
  return *loss_;
}

// Only the first cause counts. A lost backend touches nothing any more, so what submissions own can go at once.
void Life::lose(const Error& error, Locked& locked, Worklist& worklist) noexcept {
  if (is_lost()) return;
  loss_.emplace(error);
  lost_.store(true, std::memory_order_release);
  base::log(LogLevel::error, "core", "[{}] generation {} is lost: {}", id(), generation_, error.message());
  body_.lose(error, locked, worklist);
}

std::uint64_t first_serial() {
  const auto settings = base::settings();
  return settings ? (*settings)->first_serial : 0;
}

void set_owner(std::uint64_t number, std::weak_ptr<void> table) { Owners::instance().set(number, std::move(table)); }

std::optional<Owner> find_owner(std::uint64_t number) {
  if (base::in_forked_child()) return std::nullopt;  // the thread that had the lock is not in this process
  return Owners::instance().find(number);
}

Result<void> fill_native(Life& life, std::string_view type, std::uint64_t object, void* out, std::string_view text) {
  PINTLE_TRY(life.usable(text));
  const auto filled = life.device().native(type, object, out);
  if (filled) return {};
  return life.report(filled.error()).during(fmt::format("asking {} for the native type {}", text, base::quote(type)));
}

}  // namespace pintle::core
