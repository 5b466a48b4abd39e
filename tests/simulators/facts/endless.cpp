// What goes on beside a kernel that does not end, and how its process ends.
#include <csignal>
#include <cstdlib>

#include "facts/held.h"

namespace facts {
namespace {

/// A kernel in the other context, beside the one that is held.
std::string another_context(Session& session, unsigned groups, unsigned items) {
  const OtherContext& other = session.other_context();
  Held held(session, session.stream, session.function("hold"), groups, items);
  const Current current(session, other.context);
  const Status launched = session.launch(other.nothing, other.stream);
  return codes({launched, session.finish(other.stream)});
}

// As many as the largest device has room for.
constexpr unsigned groups_of_a_full_device = 512, items_of_a_full_device = 1024;

std::string another_stream_of_a_full_device(Session& session) {
  unsigned* const flag = session.words(1);
  const Function add = session.function("add");
  Held held(session, session.stream, session.function("hold"), groups_of_a_full_device, items_of_a_full_device);
  expect(session.launch(add, session.other, flag, 1u), "cuLaunchKernel");
  return comes([&] { return *static_cast<volatile unsigned*>(flag) != 0; }) ? "runs" : "does not run";
}

constexpr unsigned until_it_is_there = 0;  // CU_STREAM_WAIT_VALUE_GEQ

/// A stream waits for a value that another one writes later.
std::string value_that_comes(Session& session) {
  const auto wait = there(session.more.cuStreamWaitValue64, "cuStreamWaitValue64");
  const auto write = there(session.more.cuStreamWriteValue64, "cuStreamWriteValue64");
  const DevicePointer word = reinterpret_cast<std::uintptr_t>(session.pinned(8));
  const Status waits = wait(session.stream, word, 5, until_it_is_there);
  const Status writes = write(session.other, word, 5, 0);
  return codes({waits, writes, session.finish(session.stream)});
}

/// Eight streams wait for a value that nobody has written, and one more has a kernel.
std::string values_that_do_not_come(Session& session) {
  const auto wait = there(session.more.cuStreamWaitValue64, "cuStreamWaitValue64");
  volatile auto* const word = static_cast<volatile unsigned long long*>(session.pinned(8));
  unsigned* const flag = session.words(1);
  const Function add = session.function("add");
  const DevicePointer address = reinterpret_cast<std::uintptr_t>(word);
  for (int count = 0; count < 8; ++count)
    expect(wait(session.create_stream(), address, 9, until_it_is_there), "cuStreamWaitValue64");
  expect(session.launch(add, session.create_stream(), flag, 1u), "cuLaunchKernel");
  const bool runs = comes([&] { return *static_cast<volatile unsigned*>(flag) != 0; });
  *word = 9;
  return runs ? "another stream runs" : "another stream does not run";
}

/// Holds a kernel for ever, and ends the process; its parent tells how.
template <class End>
std::string leave(Session& session, End end) {
  static const Held& held = *new Held(session);
  static_cast<void>(held);
  end();
  return "goes on";
}

constexpr Rule rules[] = {
    {"endless.another_context", "line 1051", [](Session& s) { return another_context(s, 1, 1); }, Of::cuda},
    {"endless.a_value_that_is_written_later", "line 355", &value_that_comes, Of::cuda},
    alone("endless.another_stream_of_a_full_device", "line 1063", &another_stream_of_a_full_device, Of::cuda),
    alone(
        "endless.another_context_of_a_full_device", "line 1064",
        [](Session& s) { return another_context(s, groups_of_a_full_device, items_of_a_full_device); }, Of::cuda),
    alone("endless.eight_streams_that_wait_for_a_value", "line 356", &values_that_do_not_come, Of::cuda),
    alone("endless.exit", "line 1091", [](Session& s) { return leave(s, [] { std::exit(0); }); }),
    alone("endless._exit", "line 1086", [](Session& s) { return leave(s, [] { std::_Exit(0); }); }),
    alone("endless.kill", "line 1096", [](Session& s) { return leave(s, [] { std::raise(SIGKILL); }); }),
};

}  // namespace

std::span<const Rule> endless_rules() { return rules; }

}  // namespace facts
