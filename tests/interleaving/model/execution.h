// One run of a scenario, in which a chooser decides at every operation which thread goes on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "interleaving/model/fiber.h"
#include "interleaving/model/operation.h"
#include "pintle/deadline.h"

namespace pintle::interleaving {

/// What a run can prove wrong.
enum class Fault : std::uint8_t {
  deadlock,      ///< Somebody sleeps or blocks and nobody is left to wake him: a lost wake-up.
  regress,       ///< A value, or an answer, was taken back.
  unanswered,    ///< A waiter was woken without an answer, or never told.
  twice,         ///< A waiter was told more than once.
  wrong_answer,  ///< An answer that does not fit what happened.
  reuse,         ///< Something was used after its owner had given it back.
  stuck,         ///< A run does not end.
};
[[nodiscard]] std::string_view name(Fault fault) noexcept;
[[nodiscard]] std::optional<Fault> parse_fault(std::string_view name) noexcept;

struct Violation {
  Fault fault = Fault::stuck;
  std::string text;
};

class Chooser {
 public:
  /// The index of one of `enabled`, which is not empty and lists the steps of a thread together.
  virtual std::size_t choose(std::span<const Operation> enabled) = 0;

 protected:
  ~Chooser() = default;
};

/// The threads' stacks, used by one run after another.
class FiberPool {
 public:
  [[nodiscard]] Fiber& at(std::size_t index);
  /// Puts aside stacks whose threads cannot be ended. They are kept, and what is on them, so that no leak is reported.
  void abandon();

 private:
  std::vector<std::unique_ptr<Fiber>> fibers_;
};

class Execution {
 public:
  Execution(Chooser& chooser, FiberPool& fibers);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;
  ~Execution();

  /// The one that exists now.
  [[nodiscard]] static Execution& current() noexcept;

  void add_thread(std::string name, std::function<void()> body);
  void allow_spurious_wakes(std::uint8_t count) noexcept { spurious_left_ = count; }
  /// Runs until every thread has ended or something is violated.
  void run();
  /// What each fiber does: the body of the thread that it stands for in the current run.
  static void run_thread(void*);
  /// Ends the run, for ever when it is called by one of the threads. The first violation stays.
  void violate(Fault fault, std::string text);

  [[nodiscard]] const std::optional<Violation>& violation() const noexcept { return violation_; }
  [[nodiscard]] const std::vector<Operation>& trace() const noexcept { return trace_; }
  [[nodiscard]] std::string describe(const Operation& operation) const;

  // For ModelSync. Outside of `run` these take effect at once and nobody else runs.
  enum class Type : std::uint8_t { atomic, mutex, condition };
  /// What is created from here on belongs to another thing.
  void begin_thing() { things_.push_back(0); }
  [[nodiscard]] ObjectId create(Type type);
  void destroy(ObjectId object);
  void access(ObjectId object, Action action);
  /// Follows an access: under a mutex somebody else may run before the ordinary memory behind it is touched.
  void after_access(ObjectId object);
  void lock(ObjectId mutex);
  void unlock(ObjectId mutex);
  /// False when the deadline passed.
  bool sleep(ObjectId condition, ObjectId mutex, Deadline deadline);
  void notify_one(ObjectId condition);
  void notify_all(ObjectId condition);
  [[nodiscard]] Deadline now();
  /// Makes every finite deadline pass.
  void tick();
  void pause();

 private:
  enum class State : std::uint8_t { ready, asleep, ended };
  struct Thread {
    std::string name;
    std::function<void()> body;
    State state = State::ready;
    Operation next;  // what it does when it runs next
    ObjectSet held = 0;
    std::optional<std::uint64_t> writes_seen;  // how many there had been when it paused last
    // While asleep:
    ObjectId condition = 0;
    ObjectId mutex = 0;
    Deadline deadline;
    bool expired = false;
  };
  struct Object {
    Type type = Type::atomic;
    bool alive = true;
    std::uint8_t owner = nobody;  // of a mutex
    std::size_t thing = 0;
  };
  static constexpr std::uint8_t nobody = 255;
  static constexpr std::uint8_t outside = 254;  // the owner of what is locked while nothing runs
  static constexpr std::size_t most_steps = 5000;

  [[nodiscard]] bool is_running() const noexcept { return current_ != nobody; }
  [[nodiscard]] Thread& self() noexcept { return threads_[current_]; }
  [[nodiscard]] Fiber& fiber(std::uint8_t thread) { return thread == nobody ? main_ : fibers_.at(thread); }
  void announce(Action action, ObjectId object, ObjectSet reads, ObjectSet writes);
  void acquire(ObjectId mutex);
  void give_up(ObjectId mutex);
  void dispatch();
  void go_on_with(std::uint8_t thread);
  [[nodiscard]] bool can_run(const Thread& thread) const noexcept;
  void collect_enabled();
  void collect_ready(std::uint8_t index);
  void collect_asleep(std::uint8_t index);
  void end();
  void leave_sleep(const Operation& operation);
  void wake(std::uint8_t thread);
  [[nodiscard]] Operation lock_operation(std::uint8_t thread, ObjectId mutex) const noexcept;
  [[nodiscard]] std::string describe_blocked() const;
  [[nodiscard]] std::string describe_object(ObjectId object) const;

  Chooser& chooser_;
  FiberPool& fibers_;
  Fiber main_;
  std::vector<Thread> threads_;
  std::vector<Object> objects_;
  std::vector<ObjectSet> things_{0};  // the atomics of each
  std::vector<Operation> enabled_;
  std::vector<Operation> trace_;
  std::optional<Violation> violation_;
  Deadline clock_;
  std::uint64_t writes_ = 0;
  std::uint8_t current_ = nobody;
  std::uint8_t spurious_left_ = 0;
};

}  // namespace pintle::interleaving
