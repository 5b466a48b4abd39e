// faults DEVICE FAULT: README.md.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

#include "faults/faults.h"

namespace {

using faults::Ending;

struct Fault {
  std::string_view name;
  Ending (*run)(const pintle::Device& device);
};

constexpr Fault all[] = {
    {"bad_store", &faults::bad_store}, {"endless", &faults::endless}, {"out_of_memory", &faults::out_of_memory}};

const Fault* find(std::string_view name) {
  for (const Fault& fault : all) {
    if (fault.name == name) return &fault;
  }
  return nullptr;
}

/// The fault itself. When all has been said, one byte to the parent tells how the process has to end from there on.
int run_fault(const Fault& fault, const char* id, std::string_view parent) {
  int pipe = -1;
  std::from_chars(parent.data(), parent.data() + parent.size(), pipe);
  const pintle::Device device = faults::value(pintle::open(id));
  const Ending ending = fault.run(device);
  std::fflush(stdout);
  const char byte = static_cast<char>(ending);
  return ::write(pipe, &byte, 1) == 1 ? 0 : 1;
}

/// This program again, in a process of its own.
pid_t start(char** arguments, int pipe) {
  std::string number = std::to_string(pipe);
  const std::array<char*, 5> words{arguments[0], arguments[1], arguments[2], number.data(), nullptr};
  pid_t child = 0;
  const int refused = ::posix_spawnp(&child, arguments[0], nullptr, nullptr, words.data(), ::environ);
  faults::expect(refused == 0, "the process of the fault cannot be started");
  return child;
}

/// As a shell has it: 128 and the signal where one ended the process.
int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

int watch(char** arguments) {
  std::array<int, 2> ends{};
  faults::expect(::pipe(ends.data()) == 0, "there is no pipe");
  ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  const pid_t child = start(arguments, ends[1]);
  ::close(ends[1]);
  char ending = 0;
  const bool is_told = ::read(ends[0], &ending, 1) == 1;
  const auto said = std::chrono::steady_clock::now();
  int status = 0;
  faults::expect(::waitpid(child, &status, 0) == child, "the process of the fault cannot be waited for");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - said;
  if (code_of(status) != 0) return code_of(status);
  faults::expect(is_told, "the process of the fault says nothing");
  std::printf("The process has ended %.3f s later.\n", took.count());
  faults::expect(static_cast<Ending>(ending) != Ending::soon || took.count() <= 1,
                 "the end of a poisoned process takes more than a second");
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const Fault* const fault = count == 3 || count == 4 ? find(arguments[2]) : nullptr;
  if (fault != nullptr) return count == 4 ? run_fault(*fault, arguments[1], arguments[3]) : watch(arguments);
  std::fprintf(stderr, "usage: faults DEVICE bad_store|endless|out_of_memory\n");
  return 2;
}
