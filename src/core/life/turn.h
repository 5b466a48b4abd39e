// The turn to submit, as a type: a function that needs the turn takes it as a parameter.
#pragma once

#include <memory>
#include <mutex>

#include "base/mutex.h"
#include "core/time/worklist.h"

namespace pintle::core {

class Turns;

/// This thread's turn to submit. It is held around `submit`, `record`, `forget`, `create_queue`, `wrap_queue` and
/// `destroy_queue` of the backend: the seam promises that core makes these six calls one at a time. It is taken before
/// `Locked`, never under it.
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

}  // namespace pintle::core
