// Pending notifications: each is told exactly once, by the device inside or by the thread that gives the device up.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "pintle/backend/driver.h"

namespace pintle::kit {

/// Outlives the device that its notifications are given to. Thread-safe.
class ToldOnce {
 public:
  /// The notification to give to the device in place of `original`.
  [[nodiscard]] backend::Notification wrap(backend::Notification original) {
    auto ticket = std::make_unique<Ticket>(Ticket{this, original});
    const backend::Notification wrapped{&ToldOnce::tell, ticket.get()};
    std::lock_guard lock(mutex_);
    tickets_.emplace(wrapped.state, std::move(ticket));
    return wrapped;
  }

  /// Called where the device has refused the notification. False when it has been told meanwhile.
  bool withdraw(const backend::Notification& wrapped) { return take(wrapped.state).has_value(); }

  /// All notifications that have not been told, for the caller to tell. The device's own telling has no effect any
  /// more.
  [[nodiscard]] std::vector<backend::Notification> take_all() {
    std::vector<backend::Notification> all;
    std::lock_guard lock(mutex_);
    for (auto& [state, ticket] : tickets_) {
      if (ticket->original) all.push_back(*std::exchange(ticket->original, std::nullopt));
    }
    return all;
  }

 private:
  struct Ticket {
    ToldOnce* owner;
    std::optional<backend::Notification> original;  // empty: told
  };

  std::optional<backend::Notification> take(void* state) {
    std::lock_guard lock(mutex_);
    const auto ticket = tickets_.extract(state);
    return ticket.mapped()->original;
  }

  static void tell(void* state) {
    if (const auto original = static_cast<Ticket*>(state)->owner->take(state)) original->call(original->state);
  }

  std::mutex mutex_;
  std::map<void*, std::unique_ptr<Ticket>> tickets_;
};

}  // namespace pintle::kit
