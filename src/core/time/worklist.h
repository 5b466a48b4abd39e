// What is left to do once no lock is held.
#pragma once

#include <atomic>
#include <list>
#include <memory>

namespace pintle::core {

class Worklist;

/// Something that may have to be done when no lock is held. It is on one worklist at most; a thread that finds it on
/// another's may count on that other thread, which looks at it after that.
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
  std::shared_ptr<void> keeper_{};  // the same
};

/// Collects, under locks, what a raised or failed timeline may have released, and what finished submissions owned. The
/// thread that collected runs the list when it has dropped its locks; what that releases joins the same list, so
/// releasing never recurses and destructors of what users lent never run under a lock. Adding needs no memory.
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
  /// Lets these go later.
  void bury(std::list<std::shared_ptr<const void>>&& owned) noexcept { spent_.splice(spent_.end(), owned); }
  /// Takes what is on the other list.
  void take(Worklist& other) noexcept;
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr && spent_.empty(); }
  /// Call with no lock held.
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
