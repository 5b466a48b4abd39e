// What a simulated driver knows: one process, its contexts, and what was made in them. One mutex guards all of it, but
// for what a stream's thread runs.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "image.h"
#include "vendor/cuda/types.h"

namespace pintle::vendor::cuda {

// Objects are never freed: a handle that is used after its end is found.
struct ContextObject {
  bool is_alive = true;
  Stream default_stream = nullptr;
};

/// One recording of an event.
struct EventRecord {
  bool is_done = false;
};

struct EventObject {
  Context context = nullptr;
  bool is_alive = true;
  std::shared_ptr<EventRecord> last;  // null until it is recorded
};

/// A piece of a stream's work. Only launches and the like count against the stream's depth.
struct Task {
  std::function<Status()> run;
  bool counts = true;
  bool is_kernel = false;
  std::uint64_t kernel = 0;  // the driver's number for it
};

struct StreamObject {
  Context context = nullptr;
  bool is_alive = true;
  std::deque<Task> tasks;
  std::size_t queued = 0;       // of the tasks that count
  std::uint64_t submitted = 0;  // tasks of all time
  std::uint64_t finished = 0;
};

struct ModuleObject {
  Context context = nullptr;
  bool is_alive = true;
  simulator::Image image;
  void* library = nullptr;
  const simulator::HostModule* host = nullptr;  // null where the text has no object
  std::size_t shared_bytes = 0;
  std::vector<std::unique_ptr<FunctionObject>> functions;
};

struct FunctionObject {
  Module module = nullptr;
  const simulator::EntryText* text = nullptr;
  const simulator::HostEntry* host = nullptr;
  std::size_t most_dynamic_shared = 49152;  // line 200
};

}  // namespace pintle::vendor::cuda

namespace pintle::simulator {

using vendor::cuda::Context;
using vendor::cuda::DevicePointer;
using vendor::cuda::Event;
using vendor::cuda::Function;
using vendor::cuda::Module;
using vendor::cuda::Status;
using vendor::cuda::Stream;
using Lock = std::unique_lock<std::mutex>;

constexpr std::size_t memory_bytes = std::size_t{4} << 30;
constexpr std::size_t default_shared = 49152;  // line 200
constexpr std::size_t most_shared = 232448;    // line 200

/// Memory that the driver has given: between pages that nobody may touch.
struct Allocation {
  std::size_t size = 0;
  bool is_host = false;
  Context context = nullptr;
  void* mapping = nullptr;
  std::size_t mapped = 0;
};

struct Process {
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<pid_t> initialized_by{0};
  Status fault = Status::CUDA_SUCCESS;  // a kernel's: it stays
  std::map<std::uintptr_t, Allocation> allocations;
  std::size_t used = 0;             // bytes of device memory
  std::set<std::uint64_t> kernels;  // launched, and not ended
  std::uint64_t last_kernel = 0;
};

[[nodiscard]] Process& process();

/// What nearly every call answers first: not initialized (lines 375 to 387), or the fault (lines 734 to 739).
[[nodiscard]] Status gate(const Lock& lock);
/// The thread's current context; null where it has none.
[[nodiscard]] Context current() noexcept;
[[nodiscard]] std::vector<Context>& context_stack() noexcept;

/// Ends the process as the driver does where a handle is used after its end (lines 1107 to 1111), with a name.
[[noreturn]] void die(const char* call, const char* what);

/// Waits until the kernels that have been launched by now have ended (lines 282 to 285, 291, 293 to 297, 303, 304,
/// 316).
void wait_for_kernels(Lock& lock);
/// Waits until the stream has finished what it has by now; the fault if there is one meanwhile.
[[nodiscard]] Status wait_for_stream(Lock& lock, Stream stream);

/// The stream, or the context's own for null; dies where it has been destroyed.
[[nodiscard]] Stream stream_of(const char* call, Stream given);
[[nodiscard]] Stream make_stream(Context context);
/// Queues the task. Blocks while the stream is full (lines 349 to 352).
[[nodiscard]] Status enqueue(Lock& lock, Stream stream, vendor::cuda::Task task);

/// The allocation that has all of these bytes; null where none has.
[[nodiscard]] const Allocation* find_allocation(std::uintptr_t address, std::size_t size);
void free_memory_of(Context context);

/// Runs a grid on the calling thread: success, or the code of the fault that ended it.
struct Launch {
  const HostModule* module = nullptr;
  const HostEntry* entry = nullptr;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  std::vector<std::byte> arguments;  ///< As the entry's parameters lie.
};
[[nodiscard]] Status run_grid(const Launch& launch);
/// Where each parameter lies.
[[nodiscard]] std::vector<std::size_t> offsets_of(const std::vector<ParameterLayout>& parameters, std::size_t& size);

}  // namespace pintle::simulator
