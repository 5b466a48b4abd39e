#include "interleaving/model/execution.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace pintle::interleaving {
namespace {

Execution* current_execution = nullptr;

constexpr std::array<std::string_view, 7> fault_names = {"deadlock",     "regress", "unanswered", "twice",
                                                         "wrong_answer", "reuse",   "stuck"};
constexpr std::array<std::string_view, 3> type_names = {"atomic", "mutex", "condition"};

}  // namespace

std::string_view name(Fault fault) noexcept { return fault_names[static_cast<std::size_t>(fault)]; }

std::optional<Fault> parse_fault(std::string_view name) noexcept {
  const auto* const place = std::ranges::find(fault_names, name);
  if (place == fault_names.end()) return std::nullopt;
  return static_cast<Fault>(place - fault_names.begin());
}

Fiber& FiberPool::at(std::size_t index) {
  while (fibers_.size() <= index) fibers_.push_back(std::make_unique<Fiber>(&Execution::run_thread, nullptr));
  return *fibers_[index];
}

void FiberPool::abandon() {
  static auto& abandoned = *new std::vector<std::unique_ptr<Fiber>>;
  std::ranges::move(fibers_, std::back_inserter(abandoned));
  fibers_.clear();
}

Execution::Execution(Chooser& chooser, FiberPool& fibers)
    : chooser_(chooser), fibers_(fibers), clock_(std::chrono::hours(24)) {
  current_execution = this;
}

Execution::~Execution() { current_execution = nullptr; }

Execution& Execution::current() noexcept { return *current_execution; }

void Execution::add_thread(std::string name, std::function<void()> body) {
  Thread thread;
  thread.name = std::move(name);
  thread.body = std::move(body);
  thread.next.thread = static_cast<std::uint8_t>(threads_.size());
  threads_.push_back(std::move(thread));
}

void Execution::run() {
  dispatch();
  if (violation_) fibers_.abandon();
}

void Execution::run_thread(void*) {
  Execution& run = current();
  run.self().body();
  run.self().state = State::ended;
  run.dispatch();  // comes back in a later run, when this one is gone
}

void Execution::violate(Fault fault, std::string text) {
  if (!violation_) violation_ = Violation{fault, std::move(text)};
  if (is_running()) go_on_with(nobody);
}

// Choosing the thread that runs.

void Execution::announce(Action action, ObjectId object, ObjectSet reads, ObjectSet writes) {
  if (is_running()) {
    Operation& next = self().next;
    next = {action, current_, 0, object, reads, writes, self().held};
    if (writes != 0 && action != Action::plain) next.reads |= set_of(anything_object);
    dispatch();
  }
  if (writes != 0 && action != Action::plain) ++writes_;
  if (object < objects_.size() && !objects_[object].alive) {
    const std::string what = is_running() ? describe(self().next) : describe_object(object);
    violate(Fault::reuse, "Used after its end: " + what + ".");
  }
}

void Execution::dispatch() {
  for (;;) {
    collect_enabled();
    if (enabled_.empty() || trace_.size() > most_steps) return end();
    const Operation operation = enabled_[chooser_.choose(enabled_)];
    trace_.push_back(operation);
    Thread& thread = threads_[operation.thread];
    if (thread.state == State::asleep) {
      leave_sleep(operation);
      continue;
    }
    thread.next = operation;
    return go_on_with(operation.thread);
  }
}

// Nothing may touch the execution after the switch: the fiber of a thread that has ended is woken in another one.
void Execution::go_on_with(std::uint8_t thread) {
  const std::uint8_t before = std::exchange(current_, thread);
  if (before != thread) Fiber::go(fiber(before), fiber(thread));
}

void Execution::end() {
  const bool all_ended = std::ranges::all_of(threads_, [](const Thread& t) { return t.state == State::ended; });
  if (all_ended) return go_on_with(nobody);
  if (!enabled_.empty())
    return violate(Fault::stuck, "The run has no end after " + std::to_string(most_steps) + " steps.");
  violate(Fault::deadlock, describe_blocked());
}

bool Execution::can_run(const Thread& thread) const noexcept {
  if (thread.next.action == Action::lock) return objects_[thread.next.object].owner == nobody;
  // A thread that spins would only see again what it saw before.
  if (thread.next.action == Action::pause) return thread.writes_seen != writes_;
  return true;
}

void Execution::collect_enabled() {
  enabled_.clear();
  for (std::uint8_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].state == State::ready) collect_ready(i);
    if (threads_[i].state == State::asleep) collect_asleep(i);
  }
  // Nobody may count on being woken for nothing.
  const auto for_nothing = [](const Operation& operation) { return operation.action == Action::wake_for_nothing; };
  if (std::ranges::all_of(enabled_, for_nothing)) enabled_.clear();
}

void Execution::collect_ready(std::uint8_t index) {
  const Thread& thread = threads_[index];
  if (!can_run(thread)) return;
  Operation operation = thread.next;
  operation.variant = 0;
  const std::size_t before = enabled_.size();
  for (std::uint8_t i = 0; operation.action == Action::notify_one && i < threads_.size(); ++i) {
    if (threads_[i].state != State::asleep || threads_[i].condition != operation.object) continue;
    operation.variant = static_cast<std::uint8_t>(i + 1);
    enabled_.push_back(operation);
  }
  if (enabled_.size() == before) enabled_.push_back(operation);
}

void Execution::collect_asleep(std::uint8_t index) {
  const Thread& thread = threads_[index];
  const ObjectSet condition = set_of(thread.condition);
  if (thread.deadline <= clock_) {
    enabled_.push_back({Action::expire, index, 0, thread.condition, set_of(clock_object), condition, thread.held});
  }
  if (spurious_left_ > 0) {
    const ObjectSet writes = condition | set_of(spurious_object);
    enabled_.push_back({Action::wake_for_nothing, index, 0, thread.condition, 0, writes, thread.held});
  }
}

void Execution::leave_sleep(const Operation& operation) {
  threads_[operation.thread].expired = operation.action == Action::expire;
  if (operation.action == Action::wake_for_nothing) --spurious_left_;
  wake(operation.thread);
}

void Execution::wake(std::uint8_t thread) {
  threads_[thread].state = State::ready;
  threads_[thread].next = lock_operation(thread, threads_[thread].mutex);
}

Operation Execution::lock_operation(std::uint8_t thread, ObjectId mutex) const noexcept {
  return {Action::lock, thread, 0, mutex, set_of(anything_object), set_of(mutex), threads_[thread].held};
}

// What ModelSync does.

ObjectId Execution::create(Type type) {
  if (objects_.size() >= most_objects) violate(Fault::stuck, "The scenario makes too many objects for the model.");
  const auto id = static_cast<ObjectId>(objects_.size());
  objects_.push_back({type, true, nobody, things_.size() - 1});
  if (type == Type::atomic) things_.back() |= set_of(id);
  return id;
}

void Execution::destroy(ObjectId object) {
  objects_[object].alive = false;
  const bool has_sleepers = std::ranges::any_of(
      threads_, [&](const Thread& thread) { return thread.state == State::asleep && thread.condition == object; });
  if (has_sleepers || objects_[object].owner != nobody) {
    violate(Fault::reuse, "The " + describe_object(object) + " is destroyed while somebody uses it.");
  }
}

void Execution::access(ObjectId object, Action action) {
  const bool writes = action != Action::load;
  announce(action, object, set_of(object), writes ? set_of(object) : 0);
}

void Execution::after_access(ObjectId object) {
  if (is_running() && self().held != 0) announce(Action::plain, object, 0, things_[objects_[object].thing]);
}

void Execution::acquire(ObjectId mutex) {
  objects_[mutex].owner = is_running() ? current_ : outside;
  if (is_running()) self().held |= set_of(mutex);
}

void Execution::give_up(ObjectId mutex) {
  objects_[mutex].owner = nobody;
  if (is_running()) self().held &= ~set_of(mutex);
}

void Execution::lock(ObjectId mutex) {
  announce(Action::lock, mutex, 0, set_of(mutex));
  acquire(mutex);
}

void Execution::unlock(ObjectId mutex) {
  announce(Action::unlock, mutex, 0, set_of(mutex));
  give_up(mutex);
}

bool Execution::sleep(ObjectId condition, ObjectId mutex, Deadline deadline) {
  announce(Action::sleep, condition, 0, set_of(condition) | set_of(mutex));
  give_up(mutex);
  Thread& thread = self();
  thread.state = State::asleep;
  thread.condition = condition;
  thread.mutex = mutex;
  thread.deadline = deadline;
  thread.expired = false;
  dispatch();
  acquire(mutex);
  return !self().expired;
}

void Execution::notify_one(ObjectId condition) {
  announce(Action::notify_one, condition, 0, set_of(condition));
  if (is_running() && self().next.variant > 0) wake(static_cast<std::uint8_t>(self().next.variant - 1));
}

void Execution::notify_all(ObjectId condition) {
  announce(Action::notify_all, condition, 0, set_of(condition));
  for (std::uint8_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].state == State::asleep && threads_[i].condition == condition) wake(i);
  }
}

Deadline Execution::now() {
  announce(Action::load, clock_object, set_of(clock_object), 0);
  return clock_;
}

void Execution::tick() {
  announce(Action::tick, clock_object, 0, set_of(clock_object));
  clock_ += std::chrono::hours(1);
}

void Execution::pause() {
  announce(Action::pause, anything_object, 0, set_of(anything_object));
  if (is_running()) self().writes_seen = writes_;
}

// Words.

std::string Execution::describe_object(ObjectId object) const {
  if (object >= objects_.size()) return "";
  return std::string(type_names[static_cast<std::size_t>(objects_[object].type)]) + " " + std::to_string(object);
}

std::string Execution::describe(const Operation& operation) const {
  std::string text = threads_[operation.thread].name + ": " + std::string(name(operation.action));
  if (const std::string object = describe_object(operation.object); !object.empty()) text += " " + object;
  if (operation.variant > 0) text += " waking " + threads_[operation.variant - 1].name;
  return text;
}

std::string Execution::describe_blocked() const {
  std::string text = "Nobody can run:";
  for (const Thread& thread : threads_) {
    if (thread.state == State::ended) continue;
    const bool asleep = thread.state == State::asleep;
    text += " [" + thread.name + (asleep ? "] sleeps on " : "] is blocked at ");
    text += asleep ? describe_object(thread.condition) : describe(thread.next);
    text += ";";
  }
  text.back() = '.';
  return text;
}

}  // namespace pintle::interleaving
