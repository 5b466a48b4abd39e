// A child after fork is refused by name, ends cleanly, and leaves the parent alone.
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "conformance/clean_ends/clean_end.h"

using namespace pintle;
using clean_end::value;
using namespace std::chrono_literals;

namespace {

std::optional<Device> device;
std::optional<Queue> queue;
std::optional<Buffer> buffer;
std::optional<Recording> recording;
std::optional<Point> held;

template <class T>
void refused(const Result<T>& result, std::source_location where = std::source_location::current()) {
  if (result) clean_end::expect(false, where);
  if (result.error().code() != Errc::unavailable) std::fprintf(stderr, "%s\n", result.error().text().c_str());
  clean_end::expect(result.error().code() == Errc::unavailable, where);
  clean_end::expect(result.error().text().find("fork") != std::string::npos, where);
}

/// What ended the child is said: the driver has exit handlers of its own, which run there, too.
void expect_a_clean_end(int status) {
  if (WIFSIGNALED(status)) std::fprintf(stderr, "The child is ended by signal %d.\n", WTERMSIG(status));
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
    std::fprintf(stderr, "The child ends with code %d.\n", WEXITSTATUS(status));
  clean_end::expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// Nothing may hang or crash here: every lock may be held by a thread that is not in this process.
void be_refused(const char* id, Signal& gate) {
  refused(open(id));
  refused(devices());
  refused(device->create_queue());
  refused(device->allocate(DType::u8, {16}));
  refused(device->record(CommandList{}));
  refused(device->budget());
  refused(device->poll());
  refused(device->wait_idle(1s));
  refused(device->health());
  refused(device->recover());
  refused(queue->submit(CommandList{}));
  refused(queue->replay(*recording));
  refused(held->wait(1s));
  refused(wait_all(std::span(&*held, 1), 1s));
  refused(wait_any(std::span(&*held, 1), 1s));
  refused(held->then([](const Result<void>&) {}));
  refused(buffer->map());
  refused(gate.wait(1, 1s));
  refused(gate.set(1));
}

}  // namespace

int main(int count, char** arguments) {
  const char* id = clean_end::device_id(count, arguments);
  device = value(open(id));
  queue = value(device->create_queue());
  buffer = value(device->allocate(DType::u32, {4}));
  recording = value(device->record(CommandList{}.fill(*buffer, 7u)));
  Signal gate = value(Signal::create(0, "gate"));
  held = value(queue->submit(CommandList{}.fill(*buffer, 5u), {.after = {gate.at(1)}}));

  const pid_t child = fork();
  clean_end::expect(child >= 0);
  if (child == 0) {
    be_refused(id, gate);
    return 0;  // with the destructors of all the statics
  }
  int status = 0;
  clean_end::expect(waitpid(child, &status, 0) == child);
  expect_a_clean_end(status);

  value(gate.set(1));
  value(held->wait());
  if (clean_end::executes(*device)) {
    clean_end::expect(value(read<std::uint32_t>(*queue, *buffer)) == std::vector<std::uint32_t>(4, 5));
  }
  return 0;
}
