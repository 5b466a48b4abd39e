#include "driver/state.h"

#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace pintle::simulator {
namespace {

constexpr std::size_t depth = 1021;  // lines 349 and 350; assumed of copies and fills, too

const char* seed() {
  static const char* const given = std::getenv(SIMULATED_SETTING("SEED"));
  return given;
}

/// The next number of the thread, which depends on the seed.
std::uint64_t next_number() {
  thread_local std::uint64_t state =
      std::strtoull(seed(), nullptr, 10) ^ std::hash<std::thread::id>()(std::this_thread::get_id());
  return state = state * 6364136223846793005u + 1442695040888963407u;
}

/// A seed moves the moments at which streams go on: 0 to 255 us.
std::chrono::microseconds next_delay() {
  return std::chrono::microseconds(seed() == nullptr ? 0 : next_number() >> 56);
}

/// Runs a task without the lock. The work behind a fault is not run (line 733).
void run(Lock& lock, const vendor::cuda::Task& task) {
  Process& all = process();
  if (all.fault != Status::CUDA_SUCCESS) return;
  lock.unlock();
  if (const auto delay = next_delay(); delay.count() != 0) std::this_thread::sleep_for(delay);
  const Status status = task.run();
  lock.lock();
  if (all.fault == Status::CUDA_SUCCESS) all.fault = status;
}

/// A stream's thread: it ends with the process.
void serve(Stream stream) {
  Process& all = process();
  Lock lock(all.mutex);
  while (true) {
    all.changed.wait(lock, [&] { return !stream->tasks.empty() || !stream->is_alive; });
    if (stream->tasks.empty()) return;  // line 346: what was queued runs to its end
    const vendor::cuda::Task task = std::move(stream->tasks.front());
    stream->tasks.pop_front();
    if (task.counts) --stream->queued;
    all.changed.notify_all();
    run(lock, task);
    stream->clock += task.microseconds;
    all.kernels.erase(task.kernel);
    ++stream->finished;
    all.changed.notify_all();
  }
}

}  // namespace

std::size_t choose(std::size_t count) { return seed() == nullptr ? count - 1 : (next_number() >> 33) % count; }

Process& process() {
  static Process& all = *new Process;
  return all;
}

Status gate(const Lock&) {
  const Process& all = process();
  if (all.initialized_by.load() != ::getpid()) return Status::CUDA_ERROR_NOT_INITIALIZED;
  return all.fault;
}

std::vector<Context>& context_stack() noexcept {
  thread_local std::vector<Context> stack;
  return stack;
}

Context current() noexcept {
  const auto& stack = context_stack();
  return stack.empty() || !stack.back()->is_alive ? nullptr : stack.back();  // line 1118
}

void die(const char* call, const char* what) {
  std::fprintf(stderr, "simulated %s: %s is called with %s.\n", card::library, call, what);
  std::signal(SIGSEGV, SIG_DFL);
  std::raise(SIGSEGV);
  std::abort();
}

void wait_for_kernels(Lock& lock) {
  Process& all = process();
  const std::set<std::uint64_t> before = all.kernels;
  all.changed.wait(lock, [&] {
    return std::ranges::none_of(before, [&](std::uint64_t kernel) { return all.kernels.contains(kernel); });
  });
}

Status wait_for_stream(Lock& lock, Stream stream) {
  Process& all = process();
  const std::uint64_t last = stream->submitted;
  all.changed.wait(lock, [&] { return stream->finished >= last; });
  return all.fault;
}

Stream make_stream(Context context) {
  const Stream stream = new vendor::cuda::StreamObject;
  stream->context = context;
  std::thread([stream] {
    std::fesetenv(FE_DFL_ENV);  // a card knows nothing of the modes of the thread that asks
    serve(stream);
  }).detach();
  return stream;
}

Stream stream_of(const char* call, Stream given) {
  if (given != nullptr) {
    if (!given->is_alive) die(call, "a stream that was destroyed");
    return given;
  }
  const Context context = current();
  if (context != nullptr && context->default_stream == nullptr) context->default_stream = make_stream(context);
  return context == nullptr ? nullptr : context->default_stream;
}

Status enqueue(Lock& lock, Stream stream, vendor::cuda::Task task) {
  Process& all = process();
  if (task.counts) {
    all.changed.wait(lock, [&] { return stream->queued < depth; });
    ++stream->queued;
  }
  if (task.is_kernel) all.kernels.insert(task.kernel = ++all.last_kernel);
  ++stream->submitted;
  stream->tasks.push_back(std::move(task));
  all.changed.notify_all();
  return Status::CUDA_SUCCESS;
}

}  // namespace pintle::simulator
