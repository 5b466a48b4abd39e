// One life of a physical device, from opening to loss or close: its two locks, its leases, and its number in views.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/fork.h"
#include "base/mutex.h"
#include "core/life/checkups.h"
#include "core/time/worklist.h"
#include "pintle/backend/driver.h"

namespace pintle::core {

/// The lock of a device, as a type: a function that needs the lock takes it as a parameter. While this lives, the state
/// of a device belongs to this thread: tables, stamps, the places of submissions. The lock is held for short times, and
/// never while a driver is called. Only leaves (timelines, promises, the reactor) are locked under it. A thread never
/// holds the locks of two devices.
class Locked {
 public:
  explicit Locked(base::Mutex& mutex) noexcept : mutex_(mutex) { mutex_.lock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() {
    if (is_held_) mutex_.unlock();
  }

  // A thread that waits in between drops the lock for that time.
  void unlock() noexcept {
    is_held_ = false;
    mutex_.unlock();
  }
  void lock() noexcept {
    mutex_.lock();
    is_held_ = true;
  }

 private:
  base::Mutex& mutex_;
  bool is_held_ = true;
};

class Turns;

/// This thread's turn to submit, as a type. It is held around `submit`, `record`, `forget`, `create_queue`,
/// `wrap_queue` and `destroy_queue` of the backend: the seam promises that core makes these six calls one at a time. It
/// is taken before `Locked`, never under it.
class Turn {
 public:
  explicit Turn(Turns* turns, Worklist* worklist = nullptr) noexcept : turns_(turns), worklist_(worklist) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  inline ~Turn();

  [[nodiscard]] bool is_taken() const noexcept { return turns_ != nullptr; }

 private:
  Turns* turns_;  // null: another thread has the turn
  Worklist* worklist_;
};

/// Hands out the turn. A thread waits for it only to make one of the six calls. What follows from other work (a held
/// submission that may start, a queue that nobody has any more) is left to the thread that has the turn: that thread
/// does it when its turn is over.
class Turns {
 public:
  [[nodiscard]] Turn take() noexcept {
    mutex_.lock();
    return Turn(this);
  }
  /// Takes the turn if it is free. Otherwise `wanting` is run when the other thread's turn is over.
  template <class Wanting>
  [[nodiscard]] Turn try_take(const std::shared_ptr<Wanting>& wanting, Worklist& worklist) noexcept {
    if (mutex_.try_lock()) return Turn(this, &worklist);
    {
      const std::lock_guard lock(wanting_mutex_);
      wanting_.add(wanting);
    }
    if (mutex_.try_lock_or_await()) end(&worklist);  // it has just ended
    return Turn(nullptr);
  }

 private:
  friend class Turn;

  void end(Worklist* worklist) noexcept {
    if (mutex_.unlock()) see_to_wanting(worklist);
  }
  void see_to_wanting(Worklist* worklist) noexcept {
    Worklist own;  // runs at the end of this function
    const std::lock_guard lock(wanting_mutex_);
    (worklist != nullptr ? *worklist : own).take(wanting_);
  }

  base::Mutex mutex_;
  std::mutex wanting_mutex_;  // a leaf
  Worklist wanting_;
};

inline Turn::~Turn() {
  if (turns_ != nullptr) turns_->end(worklist_);
}

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
  [[nodiscard]] Checkups& checkups() noexcept { return checkups_; }
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
  Checkups checkups_;
};

/// A user's handle to a part of a device: a pointer that shares a lease. When the last copy goes, `gone(part)` is
/// called, and the lease is let go after it; also where there is no memory for the handle.
template <class Part, class Gone>
[[nodiscard]] std::shared_ptr<Part> make_handle(const Life& life, std::shared_ptr<Part> part, Gone gone) {
  Part* const pointer = part.get();
  return {pointer, [lease = life.lease(), part = std::move(part), gone = std::move(gone)](Part*) mutable {
            gone(part);
            part.reset();
            lease.reset();
          }};
}

/// The owner of a number in views: a life of a device, which is known for a while after its end.
struct Owner {
  std::string id;
  std::uint64_t generation = 0;
  std::weak_ptr<void> table;  ///< Its BufferTable.
};

/// The first number or epoch, as the settings say.
[[nodiscard]] std::uint64_t first_serial();
/// From now on views of this number can be found.
void set_owner(std::uint64_t number, std::weak_ptr<void> table);
/// Only the latest of the ended lives are remembered.
[[nodiscard]] std::optional<Owner> find_owner(std::uint64_t number);

/// Typed access to an object of the device: `object` as the backend numbers it, `text` as messages name it.
[[nodiscard]] Result<void> fill_native(Life& life, std::string_view type, std::uint64_t object, void* out,
                                       std::string_view text);

/// Has the backend run a tiny piece of work, on a thread of the library's that is left behind where the driver keeps
/// it. Success for a device that answers, and for one that cannot be asked. A device that does not answer within
/// `patience` is given up: it counts as lost, and the loss is returned. A backend itself waits 4 or 5 s.
[[nodiscard]] Result<void> check_up(const std::shared_ptr<Life>& life, Duration patience = std::chrono::seconds(6));

}  // namespace pintle::core
