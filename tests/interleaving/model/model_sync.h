// The Sync policy (src/base/sync.h) whose every operation is a step that the model schedules.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "interleaving/model/execution.h"
#include "pintle/deadline.h"

namespace pintle::interleaving {

/// Sequentially consistent whatever the order named: the model interleaves, it does not reorder.
template <class T>
class ModelAtomic {
 public:
  ModelAtomic() : ModelAtomic(T()) {}
  explicit(false) ModelAtomic(T value) : id_(run().create(Execution::Type::atomic)), value_(value) {}
  ModelAtomic(const ModelAtomic&) = delete;
  ModelAtomic& operator=(const ModelAtomic&) = delete;
  ~ModelAtomic() { run().destroy(id_); }

  [[nodiscard]] T load(std::memory_order = std::memory_order_seq_cst) const {
    run().access(id_, Action::load);
    const T value = value_;
    run().after_access(id_);
    return value;
  }
  void store(T value, std::memory_order = std::memory_order_seq_cst) {
    run().access(id_, Action::store);
    value_ = value;
    run().after_access(id_);
  }
  T exchange(T value, std::memory_order = std::memory_order_seq_cst) {
    return update([&](T) { return value; });
  }
  T fetch_add(T value, std::memory_order = std::memory_order_seq_cst) {
    return update([&](T old) { return static_cast<T>(old + value); });
  }
  T fetch_sub(T value, std::memory_order = std::memory_order_seq_cst) {
    return update([&](T old) { return static_cast<T>(old - value); });
  }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order = std::memory_order_seq_cst,
                               std::memory_order = std::memory_order_seq_cst) {
    const T old = update([&](T value) { return value == expected ? desired : value; });
    return old == expected || (expected = old, false);
  }

 private:
  [[nodiscard]] static Execution& run() { return Execution::current(); }

  template <class Change>
  T update(Change change) {
    run().access(id_, Action::update);
    const T old = std::exchange(value_, change(value_));
    run().after_access(id_);
    return old;
  }

  ObjectId id_;
  T value_;
};

class ModelMutex {
 public:
  ModelMutex() : id_(Execution::current().create(Execution::Type::mutex)) {}
  ModelMutex(const ModelMutex&) = delete;
  ModelMutex& operator=(const ModelMutex&) = delete;
  ~ModelMutex() { Execution::current().destroy(id_); }

  void lock() { Execution::current().lock(id_); }
  void unlock() { Execution::current().unlock(id_); }
  [[nodiscard]] ObjectId id() const noexcept { return id_; }

 private:
  ObjectId id_;
};

class ModelCondition {
 public:
  using Lock = std::unique_lock<ModelMutex>;

  ModelCondition() : id_(Execution::current().create(Execution::Type::condition)) {}
  ModelCondition(const ModelCondition&) = delete;
  ModelCondition& operator=(const ModelCondition&) = delete;
  ~ModelCondition() { Execution::current().destroy(id_); }

  void wait(Lock& lock) { static_cast<void>(wait_until(lock, Deadline::max())); }
  std::cv_status wait_until(Lock& lock, Deadline deadline) {
    const bool woken = Execution::current().sleep(id_, lock.mutex()->id(), deadline);
    return woken ? std::cv_status::no_timeout : std::cv_status::timeout;
  }
  void notify_one() { Execution::current().notify_one(id_); }
  void notify_all() { Execution::current().notify_all(id_); }

 private:
  ObjectId id_;
};

struct ModelSync {
  template <class T>
  using Atomic = ModelAtomic<T>;
  using Mutex = ModelMutex;
  using Condition = ModelCondition;
  [[nodiscard]] static Deadline now() { return Execution::current().now(); }
  static void pause() { Execution::current().pause(); }
};

}  // namespace pintle::interleaving
