#include "base/descriptor.h"

namespace pintle::base {

void occupy_standard_streams() noexcept {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // Opened the wrong way, so that neither reading nor writing succeeds. The lowest free number is the stream's.
    static_cast<void>(retried([&] { return ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY); }));
  }
}

}  // namespace pintle::base
