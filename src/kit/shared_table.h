// Objects that a device has made for core, by ids that are never used again.
#pragma once

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "pintle/error.h"

namespace pintle::kit {

/// Objects that other code may still use or name after core has let them go. Thread-safe.
template <class Id, class T>
class SharedTable {
 public:
  [[nodiscard]] Id next_id() noexcept {
    const std::lock_guard lock(mutex_);
    return Id{++last_id_};
  }
  /// May throw std::bad_alloc.
  void add(Id id, std::shared_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    T* const raw = object.get();
    all_.emplace_back(id, std::move(object));
    Slot& slot = slot_of(id);
    if (slot.object.load(std::memory_order_relaxed) != nullptr) return;
    slot.object.store(raw, std::memory_order_relaxed);
    slot.id.store(id, std::memory_order_release);
  }
  /// Null where the object has gone.
  [[nodiscard]] std::shared_ptr<T> find(Id id) noexcept {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, object] : all_) {
      if (known == id) return object;
    }
    return nullptr;
  }
  /// Runs `body(object)`; `internal` where the object has gone.
  template <class Body>
  auto with(Id id, Body body) -> std::invoke_result_t<Body, T&> {
    if (const std::shared_ptr<T> object = find(id)) return body(*object);
    return Error(Errc::internal, fmt::format("Nothing has the id ({}) any more.", static_cast<std::uint64_t>(id)));
  }
  /// As `with`, mostly without a lock. Nobody removes the object during the call.
  template <class Body>
  auto with_lent(Id id, Body body) -> std::invoke_result_t<Body, T&> {
    Slot& slot = slot_of(id);
    if (slot.id.load(std::memory_order_acquire) != id) return with(id, body);
    return body(*slot.object.load(std::memory_order_relaxed));
  }
  /// Takes the object out, so that it ends without the lock.
  std::shared_ptr<T> remove(Id id) noexcept {
    const std::lock_guard lock(mutex_);
    empty(slot_of(id), id);
    for (auto place = all_.begin(); place != all_.end(); ++place) {
      if (place->first != id) continue;
      std::shared_ptr<T> gone = std::move(place->second);
      all_.erase(place);
      return gone;
    }
    return nullptr;
  }
  /// All present objects. May throw std::bad_alloc.
  [[nodiscard]] std::vector<std::shared_ptr<T>> all() {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<T>> objects;
    for (const auto& [id, object] : all_) objects.push_back(object);
    return objects;
  }
  /// Takes all objects out.
  void clear() noexcept {
    std::vector<std::pair<Id, std::shared_ptr<T>>> gone;
    const std::lock_guard lock(mutex_);
    for (const auto& [id, object] : all_) empty(slot_of(id), id);
    gone = std::exchange(all_, {});
  }

 private:
  /// Where one object is found by its id. An object whose place is taken is in the list alone.
  struct Slot {
    std::atomic<Id> id{};
    std::atomic<T*> object{nullptr};
  };

  [[nodiscard]] Slot& slot_of(Id id) noexcept { return slots_[static_cast<std::uint64_t>(id) % slots_.size()]; }
  static void empty(Slot& slot, Id id) noexcept {
    if (slot.id.load(std::memory_order_relaxed) != id) return;
    slot.id.store(Id{}, std::memory_order_relaxed);
    slot.object.store(nullptr, std::memory_order_relaxed);
  }

  std::mutex mutex_;
  std::uint64_t last_id_ = 0;
  std::vector<std::pair<Id, std::shared_ptr<T>>> all_;
  std::array<Slot, 64> slots_{};  // written under the lock
};

}  // namespace pintle::kit
