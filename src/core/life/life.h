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

/// One life of a device: the device of a backend, its two locks, its description, and whether it is lost.
class Life {
 public:
  /// The object that is made of this life and of the parts that use it. It has one kind; the interface turns the arrow
  /// from this room to that object around.
  class Body {
   public:
    /// Called once when the device is lost.
    virtual void lose(const Error& error, Locked& locked, Worklist& worklist) noexcept = 0;
    /// Called once when the last lease has gone: nobody can submit any more.
    virtual void close() noexcept = 0;
    /// Observes what has been finished, so that what waited for it can go.
    virtual Result<void> poll() = 0;
    /// The process ends: finishes the driver's work until the deadline, then uses the driver no more.
    virtual void end(Deadline deadline) noexcept = 0;

   protected:
    ~Body() = default;
  };

  Life(std::string id, std::uint64_t generation, std::unique_ptr<backend::Device> device, Body& body);
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;
  ~Life();

  [[nodiscard]] Locked lock() noexcept { return Locked(mutex_); }
  [[nodiscard]] Turn take_turn() noexcept { return turns_.take(); }
  /// Takes the turn if it is free. Otherwise `wanting` is run when the other thread's turn is over.
  template <class Wanting>
  [[nodiscard]] Turn try_turn(const std::shared_ptr<Wanting>& wanting, Worklist& worklist) noexcept {
    return turns_.try_take(wanting, worklist);
  }

  [[nodiscard]] backend::Device& device() noexcept { return *device_; }
  [[nodiscard]] const DeviceInfo& info() const noexcept { return info_; }
  [[nodiscard]] const std::string& id() const noexcept { return info_.id; }
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }
  /// Unique in the process; views carry it.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] bool is_driven() const noexcept { return info_.progress == Progress::driven; }
  /// `[vulkan:0]`, as messages name it.
  [[nodiscard]] std::string text() const { return "[" + info_.id + "]"; }
  /// Expires when the backend's device is gone.
  [[nodiscard]] std::weak_ptr<const void> presence() const noexcept { return presence_; }

  /// The first lease. `body` is closed when the last copy goes; it is the one that the constructor got.
  [[nodiscard]] std::shared_ptr<void> begin(std::shared_ptr<Body> body);
  [[nodiscard]] Body& body() noexcept { return body_; }
  /// A pointer to a part of the body. It keeps the whole body alive.
  template <class Part>
  [[nodiscard]] std::shared_ptr<Part> keep(Part& part) const noexcept {
    return {keeper_.lock(), &part};
  }
  /// One more lease: each object of the user's (Device, Buffer, Queue, Program, Recording) has one. Null when the last
  /// has gone.
  [[nodiscard]] std::shared_ptr<void> lease() const noexcept { return lease_.lock(); }

  [[nodiscard]] bool is_lost() const noexcept { return lost_.load(std::memory_order_acquire); }
  [[nodiscard]] bool is_usable() const noexcept { return !base::in_forked_child() && !is_lost(); }
  /// Success while the device is usable. Otherwise `unavailable` (forked child), the first cause of the loss, or
  /// `stale` naming both generations once there is a successor. `object` names the object that was used: "[Queue 2]".
  [[nodiscard]] Result<void> usable(std::string_view object) const;
  [[nodiscard]] Result<void> usable() const { return is_usable() ? Result<void>() : usable(text()); }
  /// The first cause. The device must be lost.
  [[nodiscard]] const Error& loss() const noexcept { return *loss_; }
  /// Notes that a successor has been opened.
  void supersede(std::uint64_t generation) noexcept { successor_.store(generation, std::memory_order_release); }

  /// Why an object of this life does not go with `other`: `stale` for an earlier generation of the same device,
  /// `invalid_argument` for another device.
  [[nodiscard]] Error foreign(std::string_view object, const Life& other) const;
  /// Success for this life's number; otherwise the error that `foreign` gives.
  [[nodiscard]] Result<void> check_owner(std::uint64_t number, std::string_view object) const;

  /// Names the device in an error of the backend. A loss ends the life, and the first cause is returned. Takes the
  /// lock.
  [[nodiscard]] Error report(const Error& error);
  /// Reports for a thread that has the turn: what a loss releases is left to the worklist.
  [[nodiscard]] Error report(const Error& error, Worklist& worklist);
  /// A thread asks the device, from `begin_asking` to `end_asking`, whether it answers (`checkup.h`).
  void begin_asking() noexcept { asking_.fetch_add(1); }
  void end_asking() noexcept { asking_.fetch_sub(1); }
  /// Waits until no thread asks, or until the deadline.
  void await_asking(Deadline deadline) const noexcept;
  /// Whether the caller, and no other, is to find out whether the device still answers. It ends that suspicion.
  [[nodiscard]] bool begin_suspicion() noexcept { return !is_suspected_.exchange(true); }
  void end_suspicion() noexcept { is_suspected_.store(false); }
  /// Ends the life, unless it has ended before.
  void lose(const Error& error, Locked& locked, Worklist& worklist) noexcept;

 private:
  const std::shared_ptr<const void> presence_ = std::make_shared<char>();  // before the device, so it goes after it
  base::Mutex mutex_;
  Turns turns_;
  std::unique_ptr<backend::Device> device_;
  DeviceInfo info_;
  std::uint64_t generation_;
  std::uint64_t number_;
  Body& body_;
  // Written once, before any other thread has the life.
  std::weak_ptr<void> lease_;
  std::weak_ptr<void> keeper_;

  std::atomic<bool> lost_{false};
  std::optional<Error> loss_;  // written once, before lost_
  std::atomic<std::uint64_t> successor_{0};
  std::atomic<std::uint32_t> asking_{0};
  std::atomic<bool> is_suspected_{false};
};

}  // namespace pintle::core
