// Work that is left for the time when no lock is held.
#pragma once

#include <atomic>
#include <memory>

#include "core/time/letting_go.h"

namespace pintle::core {

class Worklist;

/// Something that may have work when no lock is held. It is on one worklist at most. A thread that finds it on another
/// thread's worklist may count on that thread, which looks at it later.
class Deferred {
 public:
  Deferred() = default;
  Deferred(const Deferred&) = delete;
  Deferred& operator=(const Deferred&) = delete;

 protected:
  ~Deferred() = default;

 private:
  friend class Worklist;
  virtual void run_deferred(Worklist& worklist) noexcept = 0;

  std::atomic<bool> is_listed_{false};
  Deferred* next_ = nullptr;        // of the thread that listed it
  std::shared_ptr<void> keeper_{};  // keeps it alive while it is listed
};

/// Something that owns objects of the user's, whose destructors may do anything.
class Buried {
 protected:
  ~Buried() = default;

 private:
  friend class Worklist;
  /// Called once, with no lock held.
  virtual void let_go() noexcept = 0;

  Buried* next_ = nullptr;
};

/// Collects, under locks, what a raised or failed timeline may have released, and what finished submissions owned. The
/// thread that collected it runs the list after it has dropped its locks. What that releases joins the same list, so
/// releasing never recurses, and destructors of users' objects never run under a lock. Adding needs no memory.
class Worklist {
 public:
  /// For a list of the core thread, which nobody has asked. It ends what the list has begun, so it outlives the list.
  class Unasked {
   public:
    Unasked() = default;
    Unasked(const Unasked&) = delete;
    Unasked& operator=(const Unasked&) = delete;
    ~Unasked() {
      if (letting_go_ != nullptr) letting_go_->end();
    }

   private:
    friend class Worklist;
    LettingGo* letting_go_ = nullptr;
  };

  Worklist() = default;
  explicit Worklist(Unasked& unasked) noexcept : unasked_(&unasked) {}
  Worklist(const Worklist&) = delete;
  Worklist& operator=(const Worklist&) = delete;
  ~Worklist() { run(); }

  /// Called under the lock of a device, before the timeline is raised whose waiters count on what this list does. A
  /// list is used for one such timeline, which outlives it.
  void begin_letting_go(LettingGo& letting_go) noexcept {
    if (unasked_ == nullptr || unasked_->letting_go_ != nullptr) return;
    unasked_->letting_go_ = &letting_go;
    letting_go.begin();
  }

  template <class What>
  void add(const std::shared_ptr<What>& what) noexcept {
    Deferred& deferred = *what;
    if (deferred.is_listed_.exchange(true)) return;
    deferred.keeper_ = what;
    deferred.next_ = nullptr;
    (last_ != nullptr ? last_->next_ : first_) = &deferred;
    last_ = &deferred;
  }
  /// Has it let go of what it owns, later.
  void bury(Buried& buried) noexcept { append(&buried, &buried); }
  /// Takes the contents of the other list.
  void take(Worklist& other) noexcept;
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr && first_buried_ == nullptr; }
  /// Called with no lock held.
  void run() noexcept {
    if (!empty()) run_all();
  }

 private:
  void run_all() noexcept;
  void append(Buried* first, Buried* last) noexcept {
    if (first == nullptr) return;
    last->next_ = nullptr;
    (last_buried_ != nullptr ? last_buried_->next_ : first_buried_) = first;
    last_buried_ = last;
  }

  Deferred* first_ = nullptr;
  Deferred* last_ = nullptr;
  Buried* first_buried_ = nullptr;
  Buried* last_buried_ = nullptr;
  Unasked* unasked_ = nullptr;
};

}  // namespace pintle::core
