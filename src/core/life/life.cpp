#include "core/life/life.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <utility>

#include "base/log.h"
#include "core/door/describe.h"
#include "core/life/owners.h"
#include "core/time/worklist.h"

namespace pintle::core {
namespace {

Error stale(std::string_view object, std::string_view id, std::uint64_t generation, std::uint64_t current) {
  return Error(Errc::stale, fmt::format("{} belongs to generation ({}) of [{}], which is at generation ({}).", object,
                                        generation, id, current));
}

}  // namespace

Life::Life(std::string id, std::uint64_t generation, std::unique_ptr<backend::Device> device, Body& body)
    : device_(std::move(device)),
      info_(device_->info()),
      generation_(generation),
      number_(add_owner(id, generation)),
      body_(body) {
  info_.id = std::move(id);
}

Life::~Life() {
  if (base::in_forked_child()) {  // the device's threads run in the parent only
    static_cast<void>(device_.release());
    return;
  }
  end_owner(number_);
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

void Life::await_asking(Deadline deadline) const noexcept {
  while (asking_.load() != 0 && Clock::now() < deadline) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

// Only the first cause counts. A lost backend touches nothing any more, so what submissions own can go at once.
void Life::lose(const Error& error, Locked& locked, Worklist& worklist) noexcept {
  if (is_lost()) return;
  loss_.emplace(error);
  lost_.store(true, std::memory_order_release);
  base::log(LogLevel::error, "core", "[{}] generation {} is lost: {}", id(), generation_, error.message());
  body_.lose(error, locked, worklist);
}

}  // namespace pintle::core
