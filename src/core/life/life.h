// One life of a physical device: from opening to loss or close.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/fork.h"
#include "core/life/lock.h"
#include "core/life/turn.h"
#include "pintle/backend/driver.h"

namespace pintle::core {

class Worklist;

/// Whether an error of a backend ends the life of its device.
[[nodiscard]] constexpr bool is_loss(Errc code) noexcept {
  return code == Errc::device_lost || code == Errc::process_poisoned;
}

/// What lives and dies: the device of a backend, its two locks, what it says of itself, and whether it is lost.
class Life {
 public:
  /// The whole that is made of this life and what stands on it.
  class Body {
   public:
    /// Told once when the device is lost.
    virtual void lose(const Error& error, Locked& locked, Worklist& worklist) noexcept = 0;
    /// Told once when the last lease has gone: nobody can submit any more.
    virtual void close() noexcept = 0;
    /// Looks at what has been finished, so that what waited for it can go.
    virtual Result<void> poll() = 0;

   protected:
    ~Body() = default;
  };

  Life(std::string id, std::uint64_t generation, std::unique_ptr<backend::Device> device, Body& body);
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;
  ~Life();

  [[nodiscard]] Locked lock() noexcept { return Locked(mutex_); }
  [[nodiscard]] Turn take_turn() noexcept { return turns_.take(); }
  /// Where somebody else has the turn, `wanting` is run when that is over.
  template <class Wanting>
  [[nodiscard]] Turn try_turn(const std::shared_ptr<Wanting>& wanting, Worklist& worklist) noexcept {
    return turns_.try_take(wanting, worklist);
  }

  [[nodiscard]] backend::Device& device() noexcept { return *device_; }
  [[nodiscard]] const DeviceInfo& info() const noexcept { return info_; }
  [[nodiscard]] const std::string& id() const noexcept { return info_.id; }
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }
  /// Unique in the process: what views carry.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] bool is_driven() const noexcept { return info_.progress == Progress::driven; }
  /// `[vulkan:0]`, as messages name it.
  [[nodiscard]] std::string text() const { return "[" + info_.id + "]"; }
  /// Expires when the device of the backend is gone.
  [[nodiscard]] std::weak_ptr<const void> presence() const noexcept { return presence_; }

  /// The first lease, which closes `body` when the last copy goes; `body` is what the constructor got.
  [[nodiscard]] std::shared_ptr<void> begin(std::shared_ptr<Body> body);
  [[nodiscard]] Body& body() noexcept { return body_; }
  /// A pointer to a part of the body that keeps the whole.
  template <class Part>
  [[nodiscard]] std::shared_ptr<Part> keep(Part& part) const noexcept {
    return {keeper_.lock(), &part};
  }
  /// One more: what a user holds (Device, Buffer, Queue, Program, Recording) has one. Null when the last has gone.
  [[nodiscard]] std::shared_ptr<void> lease() const noexcept { return lease_.lock(); }

  [[nodiscard]] bool is_lost() const noexcept { return lost_.load(std::memory_order_acquire); }
  [[nodiscard]] bool is_usable() const noexcept { return !base::in_forked_child() && !is_lost(); }
  /// Success while the device is usable; otherwise `unavailable` (forked child), the first cause of the loss, or
  /// `stale` naming both generations once there is a successor. `object` is what was used: "[Queue 2]".
  [[nodiscard]] Result<void> usable(std::string_view object) const;
  [[nodiscard]] Result<void> usable() const { return is_usable() ? Result<void>() : usable(text()); }
  /// The first cause; only of a lost device.
  [[nodiscard]] const Error& loss() const noexcept { return *loss_; }
  /// A successor has been opened.
  void supersede(std::uint64_t generation) noexcept { successor_.store(generation, std::memory_order_release); }

  /// Why an object of this life does not go with `other`: `stale` for an earlier generation of the same device,
  /// `invalid_argument` for another device.
  [[nodiscard]] Error foreign(std::string_view object, const Life& other) const;
  /// Success for this life's number; otherwise as `foreign`.
  [[nodiscard]] Result<void> check_owner(std::uint64_t number, std::string_view object) const;

  /// Names the device in an error of the backend; a loss ends the life, and the first cause is returned. Takes the
  /// lock.
  [[nodiscard]] Error report(const Error& error);
  /// The same for a thread that has the turn: what a loss releases is left to the worklist.
  [[nodiscard]] Error report(const Error& error, Worklist& worklist);
  /// Ends the life, if nothing has before.
  void lose(const Error& error, Locked& locked, Worklist& worklist) noexcept;

 private:
  const std::shared_ptr<const void> presence_ = std::make_shared<char>();  // before the device: goes after it
  base::Mutex mutex_;
  Turns turns_;
  std::unique_ptr<backend::Device> device_;
  DeviceInfo info_;
  std::uint64_t generation_;
  std::uint64_t number_;
  Body& body_;
  // Written once, before anybody else has the life.
  std::weak_ptr<void> lease_;
  std::weak_ptr<void> keeper_;

  std::atomic<bool> lost_{false};
  std::optional<Error> loss_;  // written once, before lost_
  std::atomic<std::uint64_t> successor_{0};
};

}  // namespace pintle::core
