// What a kernel's fault leaves: of the work behind it, of its context, of others, of its process, and of another
// process.
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "facts/child.h"
#include "facts/session.h"

namespace facts {
namespace {

/// Calls of many kinds: memory, pinned memory, an event, a launch, a module, a copy, what is free.
std::string calls(Session& session, Function kernel, DevicePointer known) {
  DevicePointer memory = 0;
  void* pinned = nullptr;
  Event event = nullptr;
  Module module = nullptr;
  std::size_t available = 0, all = 0;
  return codes({session.cuda.cuMemAlloc(&memory, 64), session.cuda.cuMemHostAlloc(&pinned, 64, 0),
                session.cuda.cuEventCreate(&event, 0), session.launch(kernel, session.other), session.load(&module),
                session.cuda.cuMemcpyDtoHAsync(session.words(1), known, 4, session.other),
                session.cuda.cuMemGetInfo(&available, &all)});
}

/// The launch's code, that of the wait, whether what was queued behind it ran, and the codes of calls after it.
template <class Launch>
std::string after(Session& session, Launch launch) {
  unsigned* const flag = session.words(1);
  const DevicePointer known = session.allocate(4);
  const Function add = session.function("add"), nothing = session.function("nothing");
  const Status launched = launch();
  static_cast<void>(session.launch(add, session.stream, flag, 1u));  // refused where the fault is known by now
  const Status waited = session.finish(session.stream);
  const bool ran = *static_cast<volatile unsigned*>(flag) != 0;
  return "launch " + text(launched) + ", wait " + text(waited) + ", behind it " + (ran ? "runs" : "runs not") +
         ", calls " + calls(session, nothing, known);
}

std::string store(Session& session, DevicePointer at) {
  const Function kernel = session.function("store");
  return after(session, [&] { return session.launch(kernel, session.stream, at); });
}

std::string store_to_freed(Session& session) {
  constexpr std::size_t bytes = std::size_t{64} << 20;
  const DevicePointer memory = session.allocate(bytes);
  expect(session.cuda.cuMemFree(memory), "cuMemFree");
  return store(session, memory + bytes / 2);
}

std::string store_to_pageable(Session& session) {
  const std::vector<char> memory(4096);
  return store(session, reinterpret_cast<std::uintptr_t>(memory.data()));
}

/// A kernel without parameters.
std::string run(Session& session, const char* name) {
  const Function kernel = session.function(name);
  return after(session, [&] { return session.launch(kernel, session.stream); });
}

std::string store_shared(Session& session, unsigned at) {
  const Function kernel = session.function("store_shared");
  const DevicePointer out = session.allocate(4);
  return after(session, [&] { return session.launch(kernel, session.stream, at, out); });
}

std::string overflow(Session& session) {
  const Function kernel = session.function("recurse");
  const DevicePointer out = session.allocate(4);
  return after(session, [&] { return session.launch(kernel, session.stream, 2000000u, out); });
}

void poison(Session& session) {
  expect(session.launch(session.function("store"), session.stream, DevicePointer{16}), "cuLaunchKernel");
  if (session.finish(session.stream) == Status::CUDA_SUCCESS) throw Unprepared("the store is no fault");
}

/// In a context that was made before, of one that is made then; of the end of both, of cuInit, and of a context after
/// all.
std::string contexts(Session& session) {
  const OtherContext& older = session.other_context();
  poison(session);
  Context newer = nullptr, newest = nullptr;
  DevicePointer memory = 0;
  static_cast<void>(session.cuda.cuCtxPushCurrent(older.context));
  return codes({session.cuda.cuMemAlloc(&memory, 64), session.cuda.cuCtxCreate(&newer, context_schedule_auto, 0),
                session.cuda.cuCtxDestroy(older.context), session.cuda.cuCtxDestroy(session.context),
                session.cuda.cuInit(0), session.cuda.cuCtxCreate(&newest, context_schedule_auto, 0)});
}

/// What describes the device goes on.
std::string count_devices(Session& session) {
  poison(session);
  int count = 0;
  return text(session.cuda.cuDeviceGetCount(&count));
}

/// A kernel, asked of this program in a process that begins now.
std::string another_process(Session& session) {
  poison(session);
  std::string line;
  const auto take = [&](std::string_view said) { line = said; };
  std::vector<std::string> arguments = session.options;
  arguments.insert(arguments.end(), {"--rule", "launch.items_1024"});
  const std::string end = run_again(arguments, std::chrono::seconds(20), take);
  return line.starts_with("launch.items_1024: 0") ? "works" : "does not work: " + line + " " + end;
}

/// The process ends here, and its parent tells how.
std::string end_of_process(Session& session) {
  poison(session);
  std::exit(0);
}

constexpr Rule rules[] = {
    alone("fault.store_to_16", "lines 732 to 734", [](Session& s) { return store(s, 16); }),
    alone("fault.trap", "lines 756 to 758", [](Session& s) { return run(s, "trap"); }),
    alone("fault.contexts", "lines 735 to 740", &contexts, Of::cuda),
    alone("fault.count_of_devices", "line 734", &count_devices),
    alone("fault.another_process", "line 1037", &another_process),
    alone("fault.end_of_the_process", "line 743", &end_of_process),
    alone("fault.store_misaligned", "lines 744 to 746", [](Session& s) { return store(s, s.allocate(64) + 2); }),
    alone("fault.store_to_freed", "lines 852 to 854", &store_to_freed),
    alone("fault.store_to_no_address", "lines 840 to 842", [](Session& s) { return store(s, 0xdead000000000000); }),
    alone("fault.store_4_GiB_away", "lines 864 to 866",
          [](Session& s) { return store(s, s.allocate(1 << 20) + (DevicePointer{4} << 30)); }),
    alone("fault.store_to_pageable_memory", "lines 876 to 878", &store_to_pageable),
    alone(
        "fault.breakpoint", "lines 768 to 770", [](Session& s) { return run(s, "breakpoint"); }, Of::cuda),
    alone(
        "fault.store_past_shared_memory", "lines 792 to 794", [](Session& s) { return store_shared(s, 0xf00000); },
        Of::cuda),
    alone(
        "fault.store_misaligned_in_shared_memory", "lines 804 to 806", [](Session& s) { return store_shared(s, 2); },
        Of::cuda),
    alone("fault.stack_overflow", "lines 816 to 818", &overflow, Of::cuda),
};

}  // namespace

std::span<const Rule> fault_rules() { return rules; }

}  // namespace facts
