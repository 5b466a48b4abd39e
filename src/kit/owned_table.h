// Objects that a device has made for core, by address.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace pintle::kit {

/// Objects that core names only while they live. An id is an address, so a use needs no look-up. Thread-safe.
template <class Id, class T>
class OwnedTable {
 public:
  /// A live object.
  [[nodiscard]] static T& at(Id id) noexcept { return *reinterpret_cast<T*>(static_cast<std::uintptr_t>(id)); }

  /// May throw std::bad_alloc.
  [[nodiscard]] Id add(std::unique_ptr<T> object) {
    const Id id{reinterpret_cast<std::uintptr_t>(object.get())};
    const std::lock_guard lock(mutex_);
    all_.emplace(id, std::move(object));
    return id;
  }
  /// Takes the object out, so that it ends without the lock: a driver may take its time. Null where it is not there.
  std::unique_ptr<T> remove(Id id) noexcept {
    const std::lock_guard lock(mutex_);
    auto found = all_.extract(id);
    return found.empty() ? nullptr : std::move(found.mapped());
  }
  /// Null where no live object has the id.
  [[nodiscard]] T* find(Id id) noexcept {
    const std::lock_guard lock(mutex_);
    return all_.contains(id) ? &at(id) : nullptr;
  }
  /// Calls `visit(object)` for each object, under the lock.
  template <class Visit>
  void for_each(Visit visit) {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, object] : all_) visit(*object);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<Id, std::unique_ptr<T>> all_;
};

}  // namespace pintle::kit
