// An open file of the operating system, closed when it goes out of scope.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace pintle::base {

/// A new descriptor whose number is no standard stream's. A process that was started without these streams may get such
/// a number for a file, and then what it prints would go into the file. -1 with `errno` where there is no other number.
[[nodiscard]] inline int beside_standard_streams(int number) noexcept {
  if (number < STDIN_FILENO || number > STDERR_FILENO) return number;
  const int other = ::fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), error = errno;
  ::close(number);
  errno = error;
  return other;
}

/// Occupies the standard streams that this process was started without. Reading and writing them still fail, and no
/// file that is opened later, here or in a child, gets their numbers.
void occupy_standard_streams() noexcept;

class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(beside_standard_streams(number)) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { static_cast<void>(close()); }

  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
  [[nodiscard]] int number() const noexcept { return number_; }
  void reset(int number) noexcept {
    static_cast<void>(close());
    number_ = beside_standard_streams(number);
  }
  /// The caller closes it.
  [[nodiscard]] int release() noexcept { return std::exchange(number_, -1); }
  [[nodiscard]] bool close() noexcept { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

/// Calls again while a signal interrupts the system call.
template <class Call>
auto retried(Call call) {
  auto answer = call();
  while (answer < 0 && errno == EINTR) answer = call();
  return answer;
}

}  // namespace pintle::base
