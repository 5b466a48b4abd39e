// Work that is left for the time when no lock is held.
#pragma once

#include <atomic>
#include <list>
#include <memory>

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

/// Collects, under locks, what a raised or failed timeline may have released, and what finished submissions owned. The
/// thread that collected it runs the list after it has dropped its locks. What that releases joins the same list, so
/// releasing never recurses, and destructors of users' objects never run under a lock. Adding needs no memory.
class Worklist {
 public:
  Worklist() = default;
  Worklist(const Worklist&) = delete;
  Worklist& operator=(const Worklist&) = delete;
  ~Worklist() { run(); }

  template <class What>
  void add(const std::shared_ptr<What>& what) noexcept {
    Deferred& deferred = *what;
    if (deferred.is_listed_.exchange(true)) return;
    deferred.keeper_ = what;
    deferred.next_ = nullptr;
    (last_ != nullptr ? last_->next_ : first_) = &deferred;
    last_ = &deferred;
  }
  /// Destroys these later.
  void bury(std::list<std::shared_ptr<const void>>&& owned) noexcept { spent_.splice(spent_.end(), owned); }
  /// Takes the contents of the other list.
  void take(Worklist& other) noexcept;
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr && spent_.empty(); }
  /// Called with no lock held.
  void run() noexcept {
    if (!empty()) run_all();
  }

 private:
  void run_all() noexcept;

  Deferred* first_ = nullptr;
  Deferred* last_ = nullptr;
  std::list<std::shared_ptr<const void>> spent_;
};

}  // namespace pintle::core
