// What a forked child is answered, and whether its parent goes on.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <functional>

#include "facts/held.h"

namespace facts {
namespace {

/// What `ask` says in a child that was forked, and never became another program. A thread of the driver may hold a lock
/// just behind the end of its work: a child would wait for that lock for ever.
std::string in_a_child(const Session& session, const std::function<std::string()>& ask) {
  for (const Stream each : {session.stream, session.other}) expect(session.finish(each), "the wait for the stream");
  static_cast<void>(comes([] { return false; }, 20));
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw Unprepared("there is no pipe");
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string said = ask();
    std::_Exit(::write(ends[1], said.data(), said.size()) == std::ssize(said) ? 0 : 1);
  }
  ::close(ends[1]);
  std::array<char, 256> buffer{};
  const ssize_t size = ::read(ends[0], buffer.data(), buffer.size());
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return {buffer.data(), static_cast<std::size_t>(size < 0 ? 0 : size)};
}

std::string calls(Session& session) {
  return in_a_child(session, [&] {
    int count = 0;
    DevicePointer memory = 0;
    return codes({session.cuda.cuDeviceGetCount(&count), session.cuda.cuInit(0), session.cuda.cuMemAlloc(&memory, 64)});
  });
}

std::string contexts(Session& session) {
  return in_a_child(session, [&] {
    Context made = nullptr, primary = nullptr;
    return codes({session.cuda.cuCtxCreate(&made, context_schedule_auto, 0),
                  session.cuda.cuDevicePrimaryCtxRetain(&primary, 0)});
  });
}

std::string parent_goes_on(Session& session) {
  static_cast<void>(in_a_child(session, [] { return std::string("here"); }));
  DevicePointer memory = 0;
  return codes({session.cuda.cuMemAlloc(&memory, 64), session.finish(session.stream)});
}

constexpr Rule rules[] = {
    {"fork.calls_of_the_child", "lines 383 to 385", &calls},
    {"fork.contexts_of_the_child", "lines 386 and 387", &contexts, Of::cuda},
    {"fork.parent_goes_on", "line 389", &parent_goes_on},
};

}  // namespace

std::span<const Rule> fork_rules() { return rules; }

}  // namespace facts
