// Grids on the calling thread, group by group. The items of a group are fibers: one fiber runs item after item until
// one of them comes to a barrier; then it sleeps, and another takes the items that are left.
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <array>
#include <cstdio>
#include <memory>
#include <mutex>
#include <utility>

#include "driver/state.h"

namespace pintle::simulator {
namespace {

constexpr std::size_t stack_bytes = 128 << 10;

class Executor;
thread_local Executor* running = nullptr;
thread_local sigjmp_buf leave;

/// Pages for a stack or the like, which nobody pays for before they are touched.
void* reserve(std::size_t size) {
  void* const bytes = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return bytes == MAP_FAILED ? nullptr : bytes;
}

struct Fiber {
  ucontext_t context{};
  void* stack = reserve(stack_bytes);
  std::size_t item = 0;
  bool is_at_barrier = false;
};

/// What a thread runs groups with. It stays with the thread: fibers are made once.
class Executor {
 public:
  Status run(const Launch& launch);
  void barrier();
  [[nodiscard]] void* dynamic_shared() { return dynamic_; }

 private:
  static void begin();
  void run_group();
  void take_items();
  void resume(Fiber& fiber);
  void place_item(std::size_t item);
  Fiber& spare();

  const Launch* launch_ = nullptr;
  ItemPlace* place_ = nullptr;
  std::vector<void*> arguments_;
  std::size_t items_ = 0;
  std::size_t next_ = 0;
  ucontext_t home_{};
  Fiber* fiber_ = nullptr;
  std::vector<std::unique_ptr<Fiber>> spare_, waiting_;
  void* const dynamic_ = reserve(card::most_shared);
};

void at_barrier() { running->barrier(); }
void* dynamic_memory() { return running->dynamic_shared(); }
constexpr HostServices services{&at_barrier, &dynamic_memory};

constexpr std::array signals{SIGSEGV, SIGBUS, SIGILL, SIGFPE};
std::array<struct sigaction, signals.size()> before;

/// A fault of a kernel ends its grid; any other belongs to who had the signal before.
void on_signal(int number, siginfo_t* info, void* context) {
  if (running != nullptr) siglongjmp(leave, number);
  for (std::size_t index = 0; index < signals.size(); ++index) {
    if (signals[index] != number) continue;
    if ((before[index].sa_flags & SA_SIGINFO) != 0) return before[index].sa_sigaction(number, info, context);
    ::sigaction(number, &before[index], nullptr);  // the instruction runs again, under what was there
  }
}

void listen() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action{};
    action.sa_sigaction = &on_signal;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    for (std::size_t index = 0; index < signals.size(); ++index) ::sigaction(signals[index], &action, &before[index]);
  });
}

/// Lines 732 (a store to nowhere), 756 (a trap). x86 traps where a card does not: a division by zero counts as a trap.
Status fault_of(int signal) {
  const bool is_address = signal == SIGSEGV || signal == SIGBUS;
  return is_address ? Status::CUDA_ERROR_ILLEGAL_ADDRESS : Status::CUDA_ERROR_LAUNCH_FAILED;
}

Status Executor::run(const Launch& launch) {
  launch_ = &launch;
  launch.module->set_services(&services);
  place_ = launch.module->place();
  std::vector<ParameterLayout> parameters(launch.entry->parameters,
                                          launch.entry->parameters + launch.entry->parameter_count);
  std::size_t size = 0;
  arguments_.clear();
  for (const std::size_t offset : offsets_of(parameters, size))
    arguments_.push_back(const_cast<std::byte*>(launch.arguments.data()) + offset);
  items_ = std::size_t{launch.block[0]} * launch.block[1] * launch.block[2];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    place_->block_size[axis] = launch.block[axis];
    place_->grid_size[axis] = launch.grid[axis];
  }
  auto& [x, y, z] = place_->block;
  for (z = 0; z < launch.grid[2]; ++z) {
    for (y = 0; y < launch.grid[1]; ++y) {
      for (x = 0; x < launch.grid[0]; ++x) run_group();
    }
  }
  return Status::CUDA_SUCCESS;
}

/// Fibers take items until none is left; those at the barrier go on together, round by round.
void Executor::run_group() {
  next_ = 0;
  while (next_ < items_) resume(spare());
  while (!waiting_.empty()) {
    auto round = std::exchange(waiting_, {});
    for (auto& fiber : round) {
      spare_.push_back(std::move(fiber));
      resume(*spare_.back());
    }
  }
}

Fiber& Executor::spare() {
  if (!spare_.empty()) return *spare_.back();
  Fiber& made = *spare_.emplace_back(std::make_unique<Fiber>());
  ::getcontext(&made.context);
  made.context.uc_stack.ss_sp = made.stack;
  made.context.uc_stack.ss_size = stack_bytes;
  made.context.uc_link = nullptr;
  ::makecontext(&made.context, &Executor::begin, 0);
  return made;
}

/// Runs the last spare fiber until it has no item left or is at a barrier.
void Executor::resume(Fiber& fiber) {
  fiber_ = &fiber;
  if (fiber.is_at_barrier) place_item(fiber.item);
  fiber.is_at_barrier = false;
  ::swapcontext(&home_, &fiber.context);
  if (!fiber.is_at_barrier) return;
  waiting_.push_back(std::move(spare_.back()));
  spare_.pop_back();
}

void Executor::begin() {
  while (true) {
    running->take_items();
    ::swapcontext(&running->fiber_->context, &running->home_);
  }
}

void Executor::take_items() {
  while (next_ < items_) {
    fiber_->item = next_++;
    place_item(fiber_->item);
    launch_->entry->call(arguments_.data());
  }
}

void Executor::place_item(std::size_t item) {
  const auto [width, height, depth] = launch_->block;
  place_->thread[0] = static_cast<unsigned>(item % width);
  place_->thread[1] = static_cast<unsigned>(item / width % height);
  place_->thread[2] = static_cast<unsigned>(item / width / height % depth);
}

void Executor::barrier() {
  Fiber& self = *fiber_;
  self.is_at_barrier = true;
  ::swapcontext(&self.context, &home_);
}

}  // namespace

Status run_grid(const Launch& launch) {
  listen();
  // Leaked with its thread, which a fault may have left in the middle of it.
  thread_local Executor* executor = nullptr;
  if (executor == nullptr) executor = new Executor;
  running = executor;
  const int signal = sigsetjmp(leave, 1);
  const Status status = signal == 0 ? executor->run(launch) : fault_of(signal);
  running = nullptr;
  if (signal != 0) executor = nullptr;  // its fibers stand where they were
  return status;
}

}  // namespace pintle::simulator
