// How much a stream takes behind a kernel before the next call blocks its thread.
#include <atomic>
#include <functional>
#include <thread>
#include <utility>

#include "facts/drawn.h"
#include "facts/held.h"

namespace facts {
namespace {

/// Where a call still returns behind so many, nothing is said of more. The driver took this many records of an event.
constexpr int most = 20000;

/// Calls again and again, on a thread of its own, behind a kernel that is held.
class Filler {
 public:
  Filler(Session& session, std::function<Status()> call)
      : session_(session), held_(session), call_(std::move(call)), caller_([this] { run(); }) {}
  Filler(const Filler&) = delete;
  Filler& operator=(const Filler&) = delete;
  ~Filler() {
    stop_.store(true);
    held_.open();
    caller_.join();
    static_cast<void>(session_.finish(session_.stream));
  }

  /// Waits until a call does not return, or until there is no call left.
  bool is_full() {
    int last = -1;
    while (!has_ended_.load()) {
      last = count_.load();
      if (!comes([&] { return has_ended_.load() || count_.load() != last; })) return true;
    }
    return false;
  }
  int count() const { return count_.load(); }
  /// Lets go of the kernel that all of it is behind.
  void open() { held_.open(); }

  std::string depth() {
    if (is_full()) return std::to_string(count());
    if (status_ != Status::CUDA_SUCCESS) return text(status_) + " behind " + std::to_string(count());
    return "none up to " + std::to_string(most);
  }

 private:
  void run() {
    const Current current(session_, session_.context);
    while (!stop_.load() && count_.load() < most) {
      status_ = call_();
      if (status_ != Status::CUDA_SUCCESS) break;
      ++count_;
    }
    has_ended_.store(true);
  }

  Session& session_;
  Held held_;
  std::function<Status()> call_;
  std::atomic<int> count_{0};
  std::atomic<bool> stop_{false}, has_ended_{false};
  Status status_ = Status::CUDA_SUCCESS;
  std::thread caller_;
};

std::string depth_of(Session& session, std::function<Status()> call) {
  return Filler(session, std::move(call)).depth();
}

std::string of_launches(Session& session) {
  const Function nothing = session.function("nothing");
  return depth_of(session, [&] { return session.launch(nothing, session.stream); });
}

std::string of_event_records(Session& session) {
  const Event event = session.create_event();
  return depth_of(session, [&] { return session.cuda.cuEventRecord(event, session.stream); });
}

std::string of_stream_writes(Session& session) {
  const auto write = there(session.more.cuStreamWriteValue64, "cuStreamWriteValue64");
  const DevicePointer memory = session.allocate(8);
  return depth_of(session, [&] { return write(session.stream, memory, 1, 0); });
}

void do_nothing(void*) {}

std::string of_host_functions(Session& session) {
  const auto launch = there(session.more.cuLaunchHostFunc, "cuLaunchHostFunc");
  return depth_of(session, [&] { return launch(session.stream, &do_nothing, nullptr); });
}

std::string of_uploads(Session& session, const unsigned* from) {
  const DevicePointer to = session.allocate(4);
  return depth_of(session, [&] { return session.cuda.cuMemcpyHtoDAsync(to, from, 4, session.stream); });
}

std::string of_pageable_uploads(Session& session) {
  const unsigned value = 1;
  return of_uploads(session, &value);
}

std::string of_downloads(Session& session) {
  unsigned* const to = session.words(1);
  const DevicePointer from = session.allocate(4);
  return depth_of(session, [&] { return session.cuda.cuMemcpyDtoHAsync(to, from, 4, session.stream); });
}

std::string of_copies_on_the_device(Session& session) {
  const DevicePointer memory = session.allocate(8);
  return depth_of(session, [&] { return session.cuda.cuMemcpyDtoDAsync(memory, memory + 4, 4, session.stream); });
}

std::string of_fills(Session& session) {
  const DevicePointer memory = session.allocate(4);
  return depth_of(session, [&] { return session.cuda.cuMemsetD32Async(memory, 1, 1, session.stream); });
}

std::string of_graph_launches(Session& session, std::size_t kernels) {
  Drawn graph(session);
  graph.kernels(kernels, 1, session.function("nothing"));
  graph.instantiate();
  return depth_of(session, [&] { return graph.launch(session.stream); });
}

/// While a thread is in the call that does not return.
std::string of_another_stream(Session& session) {
  const Function nothing = session.function("nothing");
  Filler filler(session, [&] { return session.launch(nothing, session.stream); });
  if (!filler.is_full()) return "it is never full";
  const Status launched = session.launch(nothing, session.other);
  return codes({launched, session.finish(session.other)});
}

/// A second kernel that is held stands first in the stream: when the one before it ends, nothing else does.
std::string goes_on_when_one_ends(Session& session) {
  const Function nothing = session.function("nothing"), hold = session.function("hold");
  unsigned* const gate = session.words(2);
  Filler filler(session, [&, is_first = true]() mutable {
    if (std::exchange(is_first, false)) return session.launch(hold, session.stream, gate);
    return session.launch(nothing, session.stream);
  });
  const bool is_full = filler.is_full();
  const int before = filler.count();
  filler.open();
  const bool has_room = comes([&] { return filler.count() > before; });
  *static_cast<volatile unsigned*>(gate) = 1;
  if (!is_full) return "it is never full";
  return has_room ? "yes" : "no";
}

constexpr Rule rules[] = {
    {"depth.uploads_of_pinned_memory", "not measured", [](Session& s) { return of_uploads(s, s.words(1)); }},
    {"depth.uploads_of_pageable_memory", "not measured", &of_pageable_uploads},
    {"depth.downloads_to_pinned_memory", "not measured", &of_downloads},
    {"depth.copies_on_the_device", "not measured", &of_copies_on_the_device},
    {"depth.fills", "not measured", &of_fills},
    {"depth.graph_launches", "not measured", [](Session& s) { return of_graph_launches(s, 1); }},
    {"depth.launches_of_a_graph_of_ten", "not measured", [](Session& s) { return of_graph_launches(s, 10); }},
    {"depth.host_functions", "not measured", &of_host_functions},
    {"depth.launches", "line 349", &of_launches},
    {"depth.stream_writes", "line 350", &of_stream_writes},
    {"depth.event_records", "line 351", &of_event_records},
    {"depth.another_stream_beside_a_blocked_call", "not measured", &of_another_stream},
    {"depth.a_full_stream_goes_on_when_one_ends", "not measured", &goes_on_when_one_ends},
};

}  // namespace

std::span<const Rule> depth_rules() { return rules; }

}  // namespace facts
