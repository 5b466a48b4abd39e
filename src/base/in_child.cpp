#include "base/in_child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/descriptor.h"

namespace pintle::base {
namespace {

/// An answer on its way: the code of an error or 0, then what `work` has made, or the error's words.
struct Head {
  std::uint32_t code = 0;
  std::uint64_t size = 0;
};

void write_all(int to, const void* bytes, std::size_t size) noexcept {
  const char* at = static_cast<const char*>(bytes);
  while (size != 0) {
    const ssize_t written = retried([&] { return ::write(to, at, size); });
    if (written <= 0) return;
    at += written;
    size -= static_cast<std::size_t>(written);
  }
}

/// What the library says on its own goes to `words`.
[[noreturn]] void answer(int to, int words, const std::function<Result<std::string>()>& work) {
  ::dup2(words, STDOUT_FILENO);
  ::dup2(words, STDERR_FILENO);
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, SIG_DFL);
  const auto made = work();
  const std::string_view text = made ? std::string_view(*made) : made.error().message();
  const Head head{made ? 0 : static_cast<std::uint32_t>(made.error().code()), text.size()};
  write_all(to, &head, sizeof head);
  write_all(to, text.data(), text.size());
  ::_exit(0);
}

/// Everything that the copy writes; nothing where the deadline passes.
std::optional<std::string> read_all(int from, Deadline deadline) {
  std::string all;
  std::array<char, 64 << 10> piece;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd waited{from, POLLIN, 0};
    if (left <= 0) return std::nullopt;
    if (::poll(&waited, 1, static_cast<int>(left)) <= 0) continue;
    const ssize_t size = retried([&] { return ::read(from, piece.data(), piece.size()); });
    if (size <= 0) return all;
    all.append(piece.data(), static_cast<std::size_t>(size));
  }
}

/// ", and has said: ..."; empty where nothing was.
std::string words_in(int words) {
  std::array<char, 1000> said;
  const ssize_t size = ::pread(words, said.data(), said.size(), 0);
  const std::string_view text(said.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const auto end = text.find_last_not_of(" \n");
  return end == std::string_view::npos ? "" : fmt::format(", and has said: {}", text.substr(0, end + 1));
}

Result<std::string> read_answer(std::string_view library, std::string_view advice, const std::string& text, int status,
                                int words) {
  Head head;
  if (text.size() >= sizeof head) std::memcpy(&head, text.data(), sizeof head);
  if (text.size() < sizeof head || text.size() - sizeof head != head.size) {
    const std::string how = WIFSIGNALED(status)
                                ? fmt::format("by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)))
                                : "without an answer";
    return Error(Errc::build_failed,
                 fmt::format("The library ({}) has ended its process {}{}. {}", library, how, words_in(words), advice));
  }
  std::string said = text.substr(sizeof head);
  if (head.code == 0) return said;
  return Error(static_cast<Errc>(head.code), std::move(said));
}

}  // namespace

Result<std::string> in_child(std::string_view library, std::string_view advice,
                             const std::function<Result<std::string>()>& work, Duration patience) {
  const auto refused = [&](const char* call) {
    return Error(Errc::internal,
                 fmt::format("No child for the library ({}): {}: {}.", library, call, std::strerror(errno)));
  };
  const Descriptor words(::memfd_create("pintle-child", MFD_CLOEXEC));
  if (!words.is_open()) return refused("memfd_create");
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return refused("pipe2");
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  const pid_t child = ::fork();
  if (child == 0) answer(to.number(), words.number(), work);
  static_cast<void>(to.close());
  if (child < 0) return refused("fork");
  const auto text = read_all(from.number(), Clock::now() + patience);
  if (!text) ::kill(child, SIGKILL);
  int status = 0;
  static_cast<void>(retried([&] { return ::waitpid(child, &status, 0); }));
  if (text) return read_answer(library, advice, *text, status, words.number());
  return Error(Errc::build_failed,
               fmt::format("The library ({}) has said nothing for ({} ms), and was ended.", library,
                           std::chrono::duration_cast<std::chrono::milliseconds>(patience).count()));
}

}  // namespace pintle::base
