// Objects by ids that are never used twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace pintle::kit {

/// Objects by id. The low 32 bits of an id are a place, the high 32 its epoch, which rises each time another object
/// gets the place. A place whose epoch has run out is not used again, so a stale id is always found in O(1).
template <class T>
class ObjectTable {
 public:
  /// Epochs start at `first_epoch`, and at 1 at least, so that id 0 never exists.
  explicit ObjectTable(std::uint32_t first_epoch) noexcept : first_epoch_(first_epoch == 0 ? 1 : first_epoch) {}

  std::uint64_t insert(T object) {
    auto [id, place] = make();
    *place = std::move(object);
    return id;
  }

  /// Makes an object, which the caller fills in where it is.
  std::pair<std::uint64_t, T*> make() {
    reserve_one();
    std::uint32_t place;
    if (free_.empty()) {
      place = static_cast<std::uint32_t>(places_.size());
      places_.push_back({first_epoch_, std::nullopt});
    } else {
      place = free_.back();
      free_.pop_back();
    }
    return {(std::uint64_t{places_[place].epoch} << 32) | place, &places_[place].object.emplace()};
  }

  /// Makes room, so that neither the next `make` nor the end of its object needs memory.
  void reserve_one() {
    if (!free_.empty()) return;
    if (places_.size() == places_.capacity()) places_.reserve(2 * places_.size() + 16);
    if (places_.size() >= free_.capacity()) free_.reserve(2 * places_.size() + 16);
  }

  [[nodiscard]] T* find(std::uint64_t id) noexcept { return const_cast<T*>(std::as_const(*this).find(id)); }
  [[nodiscard]] const T* find(std::uint64_t id) const noexcept {
    const auto place = static_cast<std::uint32_t>(id);
    if (place >= places_.size() || places_[place].epoch != id >> 32 || !places_[place].object) return nullptr;
    return &*places_[place].object;
  }

  /// Ends the object of a live id where it is.
  void drop(std::uint64_t id) noexcept {
    Place& place = places_[static_cast<std::uint32_t>(id)];
    place.object.reset();
    if (++place.epoch != 0) free_.push_back(static_cast<std::uint32_t>(id));
  }

  /// Calls `visit(id, object)` for every object.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t place = 0; place < places_.size(); ++place) {
      if (places_[place].object) visit((std::uint64_t{places_[place].epoch} << 32) | place, *places_[place].object);
    }
  }

 private:
  struct Place {
    std::uint32_t epoch;
    std::optional<T> object;
  };

  std::uint32_t first_epoch_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> free_;
};

}  // namespace pintle::kit
