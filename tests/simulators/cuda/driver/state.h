// What a simulated driver knows: one process, its contexts, and what was made in them. One mutex guards all of it, but
// for what a stream's thread runs.
#pragma once

#include <sys/types.h>

#include <array>
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

#include "card.h"
#include "image.h"
#include "vendor/cuda/types.h"

namespace pintle::simulator {

/// A grid, as `run_grid` runs it.
struct Launch {
  const HostModule* module = nullptr;
  const HostEntry* entry = nullptr;
  std::array<unsigned, 3> grid{1, 1, 1};
  std::array<unsigned, 3> block{1, 1, 1};
  std::vector<std::byte> arguments;  ///< As the entry's parameters lie.
};

}  // namespace pintle::simulator

namespace pintle::vendor::cuda {

// Objects are never freed: a handle that is used after its end is found.
struct ContextObject {
  bool is_alive = true;
  Stream default_stream = nullptr;
};

/// One recording of an event.
struct EventRecord {
  bool is_done = false;
  double at = 0;  // microseconds, of the card's clock
};

struct EventObject {
  Context context = nullptr;
  bool is_alive = true;
  std::shared_ptr<EventRecord> last;  // null until it is recorded
  bool has_time = true;
};

/// A piece of a stream's work. Only launches and the like count against the stream's depth.
struct Task {
  std::function<Status()> run;
  bool counts = true;
  bool is_kernel = false;
  std::uint64_t kernel = 0;  // the driver's number for it
  double microseconds = 0;   // that a card would take
};

struct StreamObject {
  Context context = nullptr;
  bool is_alive = true;
  std::deque<Task> tasks;
  std::size_t queued = 0;       // of the tasks that count
  std::uint64_t submitted = 0;  // tasks of all time
  std::uint64_t finished = 0;
  double clock = 0;  // microseconds that a card would have worked
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
  std::size_t most_dynamic_shared = simulator::card::default_shared;
};

/// What a node of a graph does.
struct GraphStep {
  enum class Kind : std::uint8_t { nothing, kernel, copy, fill };
  Kind kind = Kind::nothing;
  std::shared_ptr<const simulator::Launch> launch;
  CopyNode copy;
  FillNode fill;
  std::vector<std::size_t> before;  // numbers of nodes
};

struct GraphNodeObject {
  Graph graph = nullptr;
  std::size_t number = 0;
  GraphStep step;
};

struct GraphObject {
  bool is_alive = true;
  std::vector<std::unique_ptr<GraphNodeObject>> nodes;
};

struct GraphExecObject {
  Graph graph = nullptr;  // of whose nodes it was made
  bool is_alive = true;
  Context context = nullptr;
  std::vector<GraphStep> steps;
  std::shared_ptr<EventRecord> last;  // the end of the last launch
};

}  // namespace pintle::vendor::cuda

namespace pintle::simulator {

using vendor::cuda::Context;
using vendor::cuda::DevicePointer;
using vendor::cuda::Event;
using vendor::cuda::Function;
using vendor::cuda::Graph;
using vendor::cuda::GraphExec;
using vendor::cuda::GraphNode;
using vendor::cuda::Module;
using vendor::cuda::Status;
using vendor::cuda::Stream;
using Lock = std::unique_lock<std::mutex>;

constexpr std::size_t memory_bytes = std::size_t{4} << 30;

/// Memory that the driver has given, between pages that nobody may touch, or the host's that it was told of.
struct Allocation {
  std::size_t size = 0;
  bool is_host = false;
  Context context = nullptr;
  void* mapping = nullptr;  // null for memory of the host
  std::size_t mapped = 0;

  [[nodiscard]] bool is_registered() const noexcept { return mapping == nullptr; }
};

struct Process {
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<pid_t> initialized_by{0};
  Status fault = Status::CUDA_SUCCESS;  // a kernel's: it stays
  std::map<std::uintptr_t, Allocation> allocations;
  std::map<std::uintptr_t, std::size_t> unregistered;  // memory of the host that was registered: no kernel may have it
  std::size_t used = 0;                                // bytes of device memory
  std::set<std::uint64_t> kernels;                     // launched, and not ended
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

/// Waits until the event has been recorded, which has been queued before; null: there is nothing to wait for. The fault
/// if there is one meanwhile.
[[nodiscard]] Status await(const std::shared_ptr<vendor::cuda::EventRecord>& record);

[[nodiscard]] inline void* pointer(vendor::cuda::DevicePointer address) noexcept {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}
/// Whether an allocation has all of these bytes.
[[nodiscard]] bool is_known(vendor::cuda::DevicePointer address, std::size_t size);
/// The allocation that has all of these bytes; null where none has.
[[nodiscard]] const Allocation* find_allocation(std::uintptr_t address, std::size_t size);
void free_memory_of(Context context);
/// Ends the process where a kernel is given memory of the host that is not registered any more.
void check_arguments(const char* call, const Launch& launch);

/// Runs a grid on the calling thread: success, or the code of the fault that ended it.
[[nodiscard]] Status run_grid(const Launch& launch);
/// What the driver checks of a launch in a context; `launch` is what runs.
[[nodiscard]] Status prepare(const vendor::cuda::KernelNode& node, Context context, Launch& launch);
/// Microseconds that each kernel takes on the card that is played: a test's setting, 0 where it is not set.
[[nodiscard]] double kernel_time();
/// Whether it is set: then events tell the time that is played, else that of the host.
[[nodiscard]] bool plays_time();
/// A number that differs where a byte does.
[[nodiscard]] std::uint64_t digest(const void* bytes, std::size_t size);
/// Ends the process where a copy's pinned source has changed since its call.
void check_unchanged(const void* from, std::size_t size, std::uint64_t sum);
/// A number below `count`, which depends on the seed; `count - 1` where there is no seed.
[[nodiscard]] std::size_t choose(std::size_t count);
/// Loads what a compiler of ours has made for the host.
[[nodiscard]] Status load_image(Lock& lock, Image image, Module* loaded);
/// Where each parameter lies.
[[nodiscard]] std::vector<std::size_t> offsets_of(const std::vector<ParameterLayout>& parameters, std::size_t& size);

}  // namespace pintle::simulator
